import { type WorkbenchError, workbenchError } from "../../errors.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Endpoint } from "./endpoints.ts";
import { ClientHttpSession } from "./client-http-session.ts";
import type { KeepAlive } from "./keep-alive.ts";

const MAX_SWEEP_MS = 30_000;
const MIN_SWEEP_MS = 50;

/** A client that sent a request within this time counts as active: agents and people pause to think. */
const IN_USE_MS = 5 * 60_000;

/**
 * The sessions of a principal's legacy clients. Most clients never end theirs, so an unused session expires, and
 * earlier if its place is needed.
 */
export class Sessions {
  readonly #workbench: Workbench;
  readonly #keepAlive: KeepAlive;
  readonly #sessions = new Map<string, ClientHttpSession>();
  readonly #sweep: NodeJS.Timeout;

  constructor(workbench: Workbench, keepAlive: KeepAlive) {
    this.#workbench = workbench;
    this.#keepAlive = keepAlive;
    const often = Math.floor(workbench.settings.http.sessionIdleMs / 4);
    const everyMs = Math.min(MAX_SWEEP_MS, Math.max(MIN_SWEEP_MS, often));
    this.#sweep = setInterval(() => this.#endIdle(), everyMs).unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** A new session, or why there is no room for one. */
  create(endpoint: Endpoint): ClientHttpSession | WorkbenchError {
    const { sessions: limit } = this.#workbench.settings.http;
    if (this.#sessions.size >= limit && !this.#makeRoom())
      return workbenchError("TOO_MANY_SESSIONS", { limit }, "Try again later");
    const session = new ClientHttpSession(this.#workbench, endpoint, this.#keepAlive);
    this.#sessions.set(session.id, session);
    return session;
  }

  find(id: string, endpoint: Endpoint): ClientHttpSession | undefined {
    const session = this.#sessions.get(id);
    if (session?.endpoint !== endpoint) return undefined;
    session.lastUsed = performance.now();
    return session;
  }

  end(session: ClientHttpSession, reason?: WorkbenchError): void {
    if (this.#sessions.delete(session.id)) session.close(reason);
  }

  close(reason: WorkbenchError): void {
    clearInterval(this.#sweep);
    for (const session of this.#sessions.values()) this.end(session, reason);
  }

  #endIdle(): void {
    const before = performance.now() - this.#workbench.settings.http.sessionIdleMs;
    for (const session of this.#sessions.values())
      if (session.lastUsed <= before && !session.inUse) this.end(session);
  }

  /**
   * Ends the least used session; false if all are in use. A client that keeps opening sessions must
   * not be able to end those of others: first go sessions whose client sent nothing after it opened
   * them, then those that were never used, then those that have been idle for long.
   */
  #makeRoom(): boolean {
    const before = performance.now() - IN_USE_MS;
    let least: ClientHttpSession | undefined;
    for (const session of this.#sessions.values()) {
      const isNeeded = session.inUse || (session.wasUsed && session.lastUsed > before);
      if (!isNeeded && (least === undefined || isLessUsed(session, least))) least = session;
    }
    if (least !== undefined) this.end(least);
    return least !== undefined;
  }
}

function isLessUsed(one: ClientHttpSession, other: ClientHttpSession): boolean {
  const [use, othersUse] = [useOf(one), useOf(other)];
  return use === othersUse ? one.lastUsed < other.lastUsed : use < othersUse;
}

function useOf({ wasUsed, isInitialized }: ClientHttpSession): number {
  if (wasUsed) return 2;
  return isInitialized ? 1 : 0;
}
