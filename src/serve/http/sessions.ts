import { type WorkbenchError, isWorkbenchError, workbenchError } from "../../errors.ts";
import type { JsonObject } from "../../wire/messages.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Endpoint } from "./endpoints.ts";
import { ClientHttpSession, newIdentity } from "./client-http-session.ts";
import type { Connections } from "./connections.ts";
import type { ContinuedSession, Placement } from "./placement.ts";
import { SessionRecord, type SessionState } from "./session-record.ts";

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
  readonly #connections: Connections;
  readonly #sessions = new Map<string, ClientHttpSession>();
  readonly #sweep: NodeJS.Timeout;

  readonly #placement: Placement | undefined;

  constructor(workbench: Workbench, connections: Connections, placement: Placement | undefined) {
    this.#workbench = workbench;
    this.#placement = placement;
    this.#connections = connections;
    const often = Math.floor(workbench.settings.http.sessionIdleMs / 4);
    const everyMs = Math.min(MAX_SWEEP_MS, Math.max(MIN_SWEEP_MS, often));
    this.#sweep = setInterval(() => this.#endIdle(), everyMs).unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** A new session, or why there is no room for one. */
  create(endpoint: Endpoint, declared: JsonObject): ClientHttpSession | WorkbenchError {
    const full = this.#withoutRoom();
    if (full !== undefined) return full;
    const identity = this.#placement?.identify(endpoint, declared) ?? newIdentity();
    if (isWorkbenchError(identity)) return identity;
    const session = this.#newSession(endpoint, identity);
    this.#add(session);
    return session;
  }

  /** Continues a session that another replica had; rejects if that is not possible. */
  async restore(endpoint: Endpoint, continued: ContinuedSession): Promise<ClientHttpSession> {
    const full = this.#withoutRoom();
    if (full !== undefined) throw full;
    const session = this.#newSession(endpoint, continued, continued.state);
    try {
      const { caller } = session.session;
      session.isInitialized = session.wasUsed = true;
      const { streams } = continued;
      await session.record?.repeat(continued.declared, (request) => caller.call(request));
      // After `initialize`, because the version decides what they may contain.
      if (streams !== undefined) session.streams.restore(streams);
    } catch (error) {
      session.close();
      throw error;
    }
    this.#add(session);
    return session;
  }

  find(id: string, endpoint: Endpoint): ClientHttpSession | undefined {
    const session = this.#sessions.get(id);
    if (session?.endpoint !== endpoint) return undefined;
    session.lastUsed = performance.now();
    return session;
  }

  end(session: ClientHttpSession, reason?: WorkbenchError): void {
    if (!this.#sessions.delete(session.id)) return;
    this.#placement?.onEnded(session);
    session.close(reason);
  }

  endStreams(): void {
    for (const session of this.#sessions.values()) session.streams.end();
  }

  close(reason: WorkbenchError): void {
    clearInterval(this.#sweep);
    for (const session of this.#sessions.values()) this.end(session, reason);
  }

  #newSession(
    endpoint: Endpoint,
    identity: ConstructorParameters<typeof ClientHttpSession>[3],
    state?: SessionState,
  ): ClientHttpSession {
    const [workbench, placement] = [this.#workbench, this.#placement];
    const keepsToolboxes = workbench.settings.toolMode === "dynamic";
    const record =
      placement && new SessionRecord(() => placement.onChanged(session), keepsToolboxes, state);
    const session = new ClientHttpSession(workbench, endpoint, this.#connections, identity, record);
    return session;
  }

  #add(session: ClientHttpSession): void {
    this.#sessions.set(session.id, session);
    this.#placement?.onStarted(session, () => this.end(session));
  }

  #withoutRoom(): WorkbenchError | undefined {
    const { sessions: limit } = this.#workbench.settings.http;
    return this.#sessions.size < limit || this.#makeRoom()
      ? undefined
      : workbenchError("TOO_MANY_SESSIONS", { limit }, "Try again later");
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
