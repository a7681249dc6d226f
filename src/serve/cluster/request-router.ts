import type { ServerResponse as HttpResponse } from "node:http";

import { workbenchError } from "../../errors.ts";
import type { PlacedRequest } from "../http/placement.ts";
import { refuse } from "../http/http-responses.ts";
import { forward } from "./forward.ts";
import type { OwnCheck } from "./own-check.ts";
import type { OwnedSessions } from "./owned-sessions.ts";
import type { OwnerFinder, Whereabouts } from "./owner-finder.ts";
import type { Peer, PeerClient } from "./peer-client.ts";
import { MOVED, answerMoved } from "./replica-header.ts";
import type { RegisteredSession } from "./session-directory.ts";
import type { Origin } from "./session-tokens.ts";

const MAX_ATTEMPTS = 5;
const RETRY_SECONDS = "1";

export interface RouterOptions {
  readonly owned: OwnedSessions;
  readonly finder: OwnerFinder;
  readonly peers: PeerClient;
  readonly ownCheck: OwnCheck;
}

/** A request of a session that may have to be handled by another replica. */
export interface RoutedRequest {
  readonly uid: string;
  readonly origin: Origin;
  readonly placed: PlacedRequest;
  /** Whether another replica has sent it: it is not passed on again. */
  readonly isForwarded: boolean;
  /** Continues the session here. */
  restore(session: RegisteredSession): Promise<void>;
}

interface InFlight {
  readonly peer: Peer;
  readonly open: Set<() => void>;
}

type Located = Exclude<Whereabouts, { kind: "claimed" }> | { readonly kind: "here" };

/** Has requests handled by the replica that owns their session. */
export class RequestRouter {
  readonly #options: RouterOptions;
  /** What ends the requests that other replicas handle, by the id of the replica. */
  readonly #inFlight = new Map<string, InFlight>();
  /** The open streams of clients whose session another replica has. */
  readonly #streams = new Set<HttpResponse>();
  /** The sessions that are being looked for, or continued here, by uid. */
  readonly #locating = new Map<string, Promise<Located>>();

  constructor(options: RouterOptions) {
    this.#options = options;
  }

  /** The replicas that handle requests for this one now. */
  get busyPeers(): readonly Peer[] {
    return Array.from(this.#inFlight.values(), ({ peer }) => peer);
  }

  /** A replica is gone: its requests get an error. */
  giveUp({ id }: Peer): void {
    for (const giveUp of this.#inFlight.get(id)?.open ?? []) giveUp();
  }

  /** Ends the streams that other replicas send through this one; clients open them again. */
  endStreams(retryMs: number): void {
    for (const response of this.#streams)
      if (response.headersSent) response.end(`retry: ${retryMs}\n\n`);
  }

  /** Takes a request whose session is not certain to be here. */
  async route(routed: RoutedRequest): Promise<void> {
    const { uid, placed } = routed;
    let body: Buffer | undefined;
    let gone: string | undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const where = await this.#locate(routed, gone);
      if (placed.response.destroyed) return;
      // If no replica knows the session, it is not here either, which gives the usual answer.
      if (where.kind === "here" || where.kind === "unknown") return placed.here(body);
      if (where.kind === "unavailable") {
        const { reason } = where;
        return refuse(placed.response, workbenchError("REPLICAS_UNREACHABLE", { reason }), "null", {
          "retry-after": RETRY_SECONDS,
        });
      }
      if (routed.isForwarded) return answerMoved(placed.request, placed.response, MOVED);
      if (placed.request.method === "POST" && body === undefined) {
        body = await placed.readBody();
        if (body === undefined) return;
      }
      const outcome = await this.pass(where.peer, placed, body);
      if (outcome === "answered") return;
      this.#options.finder.forget(uid);
      gone = outcome === "gone" ? where.peer.id : undefined;
    }
    const reason = "it moves between replicas";
    refuse(placed.response, workbenchError("REPLICAS_UNREACHABLE", { reason }));
  }

  /** Requests of the same session wait for each other, so that it is not continued twice. */
  #locate(routed: RoutedRequest, gone: string | undefined): Promise<Located> {
    const { uid } = routed;
    const ongoing = this.#locating.get(uid);
    if (ongoing !== undefined) return ongoing;
    const locating = this.#whereabouts(routed, gone).finally(() => this.#locating.delete(uid));
    this.#locating.set(uid, locating);
    return locating;
  }

  async #whereabouts(
    { uid, origin, isForwarded, restore }: RoutedRequest,
    gone: string | undefined,
  ): Promise<Located> {
    const { owned, finder, ownCheck } = this.#options;
    const own = owned.get(uid);
    if (own !== undefined) {
      if (owned.isCertain(own)) return { kind: "here" };
      const verdict = await ownCheck.decide(own);
      if (verdict === "here") return { kind: "here" };
      if (verdict === "isolated")
        return { kind: "unavailable", reason: "neither Redis nor all other replicas answer" };
      if (verdict !== "lost") return { kind: "at", peer: verdict };
    }
    const cached = isForwarded || gone !== undefined ? undefined : finder.cached(uid);
    if (cached !== undefined) return { kind: "at", peer: cached };
    const found = await finder.find(uid, origin, gone);
    if (found.kind !== "claimed") return found;
    await restore(found.session);
    return { kind: "here" };
  }

  /** Passes a request on to a replica. */
  async pass(
    peer: Peer,
    { request, response }: Pick<PlacedRequest, "request" | "response">,
    body: Buffer | undefined,
  ): ReturnType<typeof forward> {
    const known = this.#inFlight.get(peer.id);
    const { open } = known ?? { open: new Set<() => void>() };
    if (known === undefined) this.#inFlight.set(peer.id, { peer, open });
    const isStream = request.method === "GET";
    if (isStream) this.#streams.add(response);
    let own: (() => void) | undefined;
    const onStarted = (giveUp: () => void): void => {
      own = giveUp;
      open.add(giveUp);
    };
    try {
      return await forward(this.#options.peers, peer, request, response, { body, onStarted });
    } finally {
      this.#streams.delete(response);
      if (own !== undefined) open.delete(own);
      if (open.size === 0) this.#inFlight.delete(peer.id);
    }
  }
}
