import { Agent, type ClientRequest, type RequestOptions, request as httpRequest } from "node:http";
import { Agent as TlsAgent, request as httpsRequest } from "node:https";

import type { ClusterLink } from "../../cluster/cluster-link.ts";
import { reasonOf } from "../../errors.ts";
import { isObject } from "../../wire/messages.ts";
import { MOVED_HEADER, NOT_HERE, REPLICA_HEADER, signRequest } from "./replica-header.ts";

/** Where replicas ask each other about a session; its uid follows. */
export const QUESTION_PATH = "/.cluster/session/";
/** After this time without an answer, a replica counts as silent. */
export const SILENT_MS = 3_000;
const MAX_ANSWER_CHARS = 4096;
/** The system could not reach anything there, so nothing was sent. */
const NOTHING_THERE: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** The certificate is not trusted, or the other side does not speak TLS. */
const NO_TLS =
  /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH)/;

export interface Peer {
  readonly id: string;
  readonly address: string;
}

export type OnUnreachable = (peer: Peer, reason: string) => void;

/** What a replica knows about a session. */
export interface PeerAnswer {
  /** Whether it has the session. */
  readonly owns: boolean;
  /** Whether it reaches Redis. */
  readonly isUp: boolean;
  /** Whether Redis knows the session. */
  readonly isKnown: boolean;
  /** The replica that owns it according to Redis, if that one lives or is the one that asks. */
  readonly owner?: Peer | undefined;
}

/** Why there is no answer. Only one that is gone cannot do anything either; one that is silent may serve sessions. */
export type NoAnswer = "gone" | "silent";

/** The HTTP connections to the other replicas. */
export class PeerClient {
  readonly #link: ClusterLink;
  readonly #onUnreachable: OnUnreachable;
  /** The replicas that were reported. */
  readonly #reported = new Set<string>();
  readonly #agent = new Agent({ keepAlive: true });
  #tlsAgent: TlsAgent | undefined;

  /** @param onUnreachable called once for each replica to which no connection can be made */
  constructor(link: ClusterLink, onUnreachable: OnUnreachable = () => {}) {
    this.#link = link;
    this.#onUnreachable = onUnreachable;
  }

  /** Begins a request to a replica, signed. */
  request(
    { id, address }: Peer,
    { path, sessionId, headers = {}, method }: PeerRequest,
  ): ClientRequest {
    const { protocol, hostname, port } = new URL(address);
    const signature = signRequest(this.#link, { method, path, sessionId, to: id });
    const options: RequestOptions = {
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port,
      path,
      method,
      headers: { ...headers, [REPLICA_HEADER]: signature },
    };
    let sent: ClientRequest;
    if (protocol === "http:") sent = httpRequest({ ...options, agent: this.#agent });
    else {
      this.#tlsAgent ??= new TlsAgent({ keepAlive: true });
      sent = httpsRequest({ ...options, agent: this.#tlsAgent });
    }
    sent.on("error", (error) => this.#onError({ id, address }, error));
    return sent;
  }

  #onError(peer: Peer, error: Error): void {
    if (!isNothingThere(error) || this.#reported.has(peer.id)) return;
    this.#reported.add(peer.id);
    this.#onUnreachable(peer, reasonOf(error));
  }

  /** Asks a replica about a session. */
  ask(peer: Peer, uid: string): Promise<PeerAnswer | NoAnswer> {
    const path = QUESTION_PATH + uid;
    return new Promise((resolve) => {
      const asked = this.request(peer, { path, sessionId: "", method: "GET" });
      const timer = setTimeout(() => {
        resolve("silent");
        asked.destroy();
      }, SILENT_MS);
      const end = (answer: PeerAnswer | NoAnswer): void => {
        clearTimeout(timer);
        resolve(answer);
      };
      asked.on("error", (error) => end(isRefused(error) ? "gone" : "silent"));
      asked.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          if (text.length <= MAX_ANSWER_CHARS) text += chunk;
        });
        // Only a replica that was started at this address proves that the one that was asked has ended.
        const other = response.headers[MOVED_HEADER] === NOT_HERE ? "gone" : "silent";
        response.on("end", () => end(answerIn(text) ?? other));
        response.on("error", () => end("silent"));
      });
      asked.end();
    });
  }

  close(): void {
    this.#agent.destroy();
    this.#tlsAgent?.destroy();
  }
}

export interface PeerRequest {
  readonly method: string;
  readonly path: string;
  readonly sessionId: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** Whether no connection can be made. */
function isNothingThere(error: Error): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return NOTHING_THERE.has(code) || NO_TLS.test(code);
}

/** Whether its machine says that nothing listens there. Any other failure may be on this side. */
function isRefused(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === "ECONNREFUSED";
}

/** Undefined for anything that is not the answer of a replica. */
export function answerIn(text: string): PeerAnswer | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(answer)) return undefined;
  const { owns, isUp, isKnown, owner } = answer;
  if (typeof owns !== "boolean" || typeof isUp !== "boolean" || typeof isKnown !== "boolean")
    return undefined;
  if (!isObject(owner)) return { owns, isUp, isKnown };
  const { id, address } = owner;
  if (typeof id !== "string" || typeof address !== "string") return undefined;
  return { owns, isUp, isKnown, owner: { id, address } };
}
