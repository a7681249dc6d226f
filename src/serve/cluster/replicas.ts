import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import type { ClusterLink } from "../../cluster/cluster-link.ts";
import { type WorkbenchError, isWorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { JsonObject } from "../../wire/messages.ts";
import type { ClientHttpSession, SessionIdentity } from "../http/client-http-session.ts";
import type { Endpoint } from "../http/endpoints.ts";
import { refuse, writeJson } from "../http/http-responses.ts";
import type { ModernPlaced, PlacedRequest, Placement } from "../http/placement.ts";
import type { SessionState } from "../http/session-record.ts";
import {
  type ClusterParts,
  type ReplicaContents,
  RESULT_PATH,
  type RemoteResults,
  TASK_PATH,
  newParts,
} from "./cluster-parts.ts";
import { type DrainedClients, drain } from "./drain.ts";
import { type Peer, QUESTION_PATH } from "./peer-client.ts";
import { NOT_HERE, answerMoved, isTooLong, replicaRequest } from "./replica-header.ts";
import type { RegisteredSession } from "./session-directory.ts";

type Handle = (request: IncomingMessage, response: HttpResponse) => void;

/** How often Redis learns at most that a session is used. */
const MAX_REPORT_MS = 60_000;
/** Redis keeps a session a little longer than its owner. */
const KEPT_MS = 60_000;

/** Redis keeps this for each session whose id it does not fit into. */
const MAX_DECLARED_CHARS = 64 * 1024;
/** When a client may try again if its session cannot be continued now. */
const RETRY_SECONDS = "5";

export interface ReplicasOptions {
  readonly link: ClusterLink;
  readonly log: Logger;
  readonly sessionIdleMs: () => number;
  /** How long calls may take to finish when this replica ends. */
  readonly drainMs: number;
  readonly contents: ReplicaContents;
}

/** This replica among the others: which of them handles a request. */
export class Replicas implements Placement {
  readonly #link: ClusterLink;
  readonly #options: ReplicasOptions;
  readonly #parts: ClusterParts;
  #isDraining = false;
  #openResponses = 0;
  #hasReportedClock = false;
  /** Whether Redis may not know all sessions of this replica. */
  #isIncomplete = false;
  /** The replicas that have sent requests, by request. */
  readonly #senders = new WeakMap<IncomingMessage, string>();
  /** What was declared in `initialize` and does not fit into the id, by uid, until the session has started. */
  readonly #declared = new Map<string, string>();
  /** The sessions that were claimed, by uid, until they have started. */
  readonly #claimed = new Map<string, RegisteredSession>();

  constructor(options: ReplicasOptions) {
    const { link, log, sessionIdleMs, contents } = options;
    this.#options = options;
    this.#link = link;
    const onUnreachable = ({ address }: Peer, reason: string): void =>
      log.warn(`no connection to the replica at ${address}: ${reason}`);
    const keptMs = (): number => sessionIdleMs() + KEPT_MS;
    const warn = (problem: string): void => log.warn(problem);
    this.#parts = newParts(link, contents, keptMs, onUnreachable, warn, (hadGap) =>
      this.#onRenewed(hadGap),
    );
  }

  /** Resolves when the other replicas know this one, if Redis is there. */
  async start(): Promise<void> {
    await this.#parts.lease.renew();
  }

  /** Reports an address at which the other replicas cannot reach this one; it has to listen already. */
  async checkAddress(): Promise<void> {
    await this.#parts.addressCheck.run();
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Counts the responses that are not complete, and has connections closed when this replica is about to end. */
  observe(handle: Handle): Handle {
    return (request, response) => {
      this.#openResponses++;
      response.once("close", () => this.#openResponses--);
      if (this.#isDraining) response.shouldKeepAlive = false;
      if (isTooLong(request) && !this.isFromReplica(request))
        response.writeHead(431, { connection: "close" }).end();
      else handle(request, response);
    };
  }

  /** Gives all sessions to other replicas, and lets calls finish. */
  async drain(clients: DrainedClients): Promise<void> {
    this.#isDraining = true;
    const { drainMs } = this.#options;
    const openResponses = (): number => this.#openResponses;
    const isUp = (): boolean => this.#link.isUp;
    await drain(this.#parts, { ...clients, drainMs, isUp, openResponses });
  }

  isFromReplica(request: IncomingMessage): boolean {
    const found = replicaRequest(this.#link, request);
    if (found === undefined) return false;
    // One that is not believed is handled like that of a client, but still not passed on again.
    if (found.isForThis || found.isOutdated) this.#senders.set(request, found.from);
    if (found.isOutdated) this.#reportClock(found.ageMs);
    return !found.isOutdated;
  }

  #reportClock(ageMs: number): void {
    if (this.#hasReportedClock) return;
    this.#hasReportedClock = true;
    const minutes = Math.round(Math.abs(ageMs) / 60_000);
    this.#options.log.warn(
      `a request of another replica seems to be ${minutes} minutes old, so it is not trusted: the clocks of the machines differ, or it was recorded and sent again`,
    );
  }

  answer(request: IncomingMessage, response: HttpResponse): boolean {
    const { url = "" } = request;
    // It was meant for the process that had this address before.
    if (!this.#senders.has(request)) answerMoved(request, response, NOT_HERE);
    else if (url.startsWith(QUESTION_PATH)) {
      const asker = this.#senders.get(request) ?? "";
      void this.#answer(url.slice(QUESTION_PATH.length), asker).then((answer) =>
        writeJson(response, 200, [JSON.stringify(answer)]),
      );
    } else if (url.startsWith(TASK_PATH)) this.#parts.modern.answer(url, response);
    else if (url.startsWith(RESULT_PATH)) this.#parts.results.answer(url, response);
    else return false;
    return true;
  }

  /** The stored results of the other replicas. */
  get results(): RemoteResults {
    return this.#parts.results;
  }

  placeModern(placed: ModernPlaced): boolean {
    // It is passed on once only.
    return !this.#senders.has(placed.request) && this.#parts.modern.place(placed);
  }

  identify({ principal, path }: Endpoint, declared: JsonObject): SessionIdentity | WorkbenchError {
    const { length } = JSON.stringify(declared);
    if (length > MAX_DECLARED_CHARS) {
      const reason = `initialize: ${length} characters, more than the ${MAX_DECLARED_CHARS} that replicas keep`;
      return workbenchError("INVALID_PARAMETERS", { reason });
    }
    const token = this.#parts.tokens.create(principal, path, declared);
    const { id, uid } = token;
    if (token.declared === undefined) this.#declared.set(uid, JSON.stringify(declared));
    return { id, uid };
  }

  onStarted(session: ClientHttpSession, end: () => void): void {
    const { uid } = session;
    const claimed = this.#claimed.get(uid);
    const declared = claimed === undefined ? this.#declared.get(uid) : claimed.declared;
    this.#declared.delete(uid);
    this.#parts.owned.add(session, end, { fence: claimed?.fence ?? 1, declared });
    if (claimed === undefined || claimed.isOutdated === true) this.onChanged(session);
  }

  onChanged({ uid }: ClientHttpSession): void {
    const owned = this.#parts.owned.get(uid);
    if (owned !== undefined) void this.#parts.owned.register(owned);
  }

  onEnded({ uid }: ClientHttpSession): void {
    this.#parts.owned.remove(uid);
  }

  place(placed: PlacedRequest): void {
    const { principal, endpoint, request } = placed;
    const id = String(request.headers["mcp-session-id"]);
    const token = this.#parts.tokens.open(id, principal, endpoint.path);
    // There is no such session, which is the usual answer.
    if (token === undefined || this.#parts.owned.hasEnded(token.uid)) return placed.here();
    const own = this.#parts.owned.get(token.uid);
    if (own !== undefined && this.#parts.owned.isCertain(own)) return placed.here();
    const { uid, origin } = token;
    const isForwarded = this.#senders.has(request);
    const restore = (session: RegisteredSession): Promise<void> =>
      this.#restore(placed, { id, uid }, token.declared, session);
    this.#parts.router
      .route({ uid, origin, placed, isForwarded, restore })
      .catch((error: unknown) => {
        this.#options.log.warn(`a session could not be continued: ${reasonOf(error)}`);
        if (placed.response.headersSent) placed.response.destroy();
        else if (isWorkbenchError(error))
          refuse(placed.response, error, "null", { "retry-after": RETRY_SECONDS });
        else refuse(placed.response, workbenchError("INTERNAL", { reason: reasonOf(error) }));
      });
  }

  async #restore(
    placed: PlacedRequest,
    identity: SessionIdentity,
    inId: JsonObject | undefined,
    claimed: RegisteredSession,
  ): Promise<void> {
    const { uid } = identity;
    const declared = inId ?? (JSON.parse(claimed.declared ?? "{}") as JsonObject);
    const state = JSON.parse(claimed.state ?? "{}") as SessionState;
    const { streams } = claimed;
    this.#claimed.set(uid, claimed);
    try {
      await placed.restore({ ...identity, declared, state, streams });
      this.#options.log.info("continues a session of another replica");
    } catch (error) {
      // Another replica may be able to.
      await this.#parts.directory.release(claimed).catch(() => {});
      throw error;
    } finally {
      this.#claimed.delete(uid);
    }
  }

  async #answer(uid: string, asker: string): Promise<object> {
    const owns = this.#parts.owned.get(uid) !== undefined;
    const unknown = { owns, isUp: false, isKnown: false };
    if (!this.#link.isUp) return unknown;
    return this.#parts.finder.reported(uid, asker).then(
      (reported) => ({ owns, isUp: true, ...reported }),
      () => unknown,
    );
  }

  #onRenewed(hadGap: boolean): void {
    this.#parts.addressCheck.onPeers(this.#parts.lease.peers);
    const everyMs = Math.min(MAX_REPORT_MS, this.#options.sessionIdleMs() / 4);
    const isIncomplete = hadGap || this.#isIncomplete;
    this.#isIncomplete = false;
    const work = isIncomplete ? this.#parts.owned.onGap() : this.#parts.owned.reportUse(everyMs);
    this.#parts.owned.repeatEnds();
    // With the next renewal it is tried again; until then, sessions are confirmed one by one.
    work.catch(() => (this.#isIncomplete = isIncomplete));
    for (const peer of this.#parts.router.busyPeers)
      if (!this.#parts.lease.peers.has(peer.id)) void this.#checkPeer(peer);
  }

  /** A replica with requests in flight has no lease: it is gone, or only has lost Redis. */
  async #checkPeer(peer: Peer): Promise<void> {
    const answer = await this.#parts.peers.ask(peer, "-");
    if (typeof answer === "string") this.#parts.router.giveUp(peer);
  }
}
