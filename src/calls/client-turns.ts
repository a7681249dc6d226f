import type { Call } from "./call.ts";
import type { Principal } from "./principal.ts";

/** What is known of a server from all its connections. */
export interface AskingServer {
  /** Whether it sends requests while it works on a call, without saying on which. */
  asksDuringCalls: boolean;
  /** What it has done without asking, by `kindOf`. Undefined if its requests say which call they belong to. */
  readonly quiet?: Set<string>;
}

/** How long a call may have to wait until it is known whether another makes the server ask. */
const FIRST_CALL_MS = 2000;
const MAX_KINDS = 10_000;

/** The calls on the connection. */
interface SentCalls {
  inFlight(): Iterable<Call>;
}

/**
 * A question of a legacy server over stdio does not say which call it belongs to. So once such a server
 * has asked, calls of different clients of a shared workbench are sent to it one client at a time: what
 * it asks then is for the client whose calls are in flight. Servers that never ask are not delayed,
 * except that different clients do not try two tools at once that were never called before.
 */
export class ClientTurns {
  readonly server: AskingServer;
  readonly #calls: SentCalls;
  /** Calls that were given up and that the server may still work on, and until when that is assumed. */
  readonly #left = new Map<number, { readonly principal: Principal; readonly until: number }>();

  /** What is known of the server is that of all its connections, also of those that have ended. */
  constructor(calls: SentCalls, server: AskingServer) {
    this.#calls = calls;
    this.server = server;
  }

  /** Whether a call has to wait; `isLast` if others wait already. */
  mustWait(call: Call, isLast: boolean): boolean {
    const client = clientOf(call);
    if (client === undefined) return false;
    if (!this.server.asksDuringCalls) return this.#waitsForFirst(call, client);
    let isAsked = false;
    for (const sent of this.#calls.inFlight()) {
      const current = sent.isStream ? undefined : clientOf(sent);
      if (current === undefined) continue;
      if (current !== client) return true;
      isAsked ||= sent.openRequests > 0;
    }
    // To answer a question, a client may need another call first.
    return isLast && !isAsked;
  }

  /** The server has answered a call, and did not ask. */
  onAnswered(call: Call): void {
    const { quiet } = this.server;
    if (quiet !== undefined && quiet.size < MAX_KINDS && clientOf(call) !== undefined)
      quiet.add(kindOf(call));
  }

  #waitsForFirst(call: Call, client: string): boolean {
    const { quiet } = this.server;
    if (quiet === undefined || quiet.has(kindOf(call))) return false;
    const since = performance.now() - FIRST_CALL_MS;
    if (call.state === "queued" && call.startedAt < since) return false;
    for (const sent of this.#calls.inFlight()) {
      const current = sent.isStream || sent.startedAt < since ? undefined : clientOf(sent);
      if (current !== undefined && current !== client && !quiet.has(kindOf(sent))) return true;
    }
    return false;
  }

  /** A call was given up after it was sent: for a while, the server may still ask because of it. */
  onGivenUp(call: Call, forMs: number): void {
    const client = call.isStream ? undefined : clientOf(call);
    const { principal } = call.caller;
    if (client === undefined || principal === undefined) return;
    const now = performance.now();
    for (const [id, { until }] of this.#left)
      if (until <= now) this.#left.delete(id);
      else break;
    this.#left.set(call.id, { principal, until: now + forMs });
  }

  /** The server has answered a call that was given up, so it no longer works on it. */
  onLateAnswer(id: number): void {
    this.#left.delete(id);
  }

  /** Whose given-up calls the server may still work on. */
  *left(): Generator<Principal> {
    const now = performance.now();
    for (const [id, { principal, until }] of this.#left)
      if (now < until) yield principal;
      else this.#left.delete(id);
  }

  /** Whether what the server sends may be about a given-up call of another client than this. */
  mayConcernOther(client: string | undefined): boolean {
    for (const principal of this.left()) if (principal.client !== client) return true;
    return false;
  }
}

/** The client of a shared workbench that made the call. */
function clientOf({ origin, caller }: Call): string | undefined {
  return origin === "client" ? caller.principal?.client : undefined;
}

/** Equal for calls of the same tool, or of another method. */
function kindOf({ method, subject }: Call): string {
  return method === "tools/call" ? `tool ${subject}` : method;
}
