/** A server that still refuses after so many logins with the scope it asked for will not change its mind. */
const MAX_FOR_SCOPE = 2;
/** A server that asks for a different scope each time must not send the user to a login without end. */
const MAX_IN_PERIOD = 5;
/** A client that signs in for itself does not cost a user time, and may have a scope for every tool. */
const MAX_OF_MACHINE = 20;
const PERIOD_MS = 60 * 60_000;
/** The most scopes whose logins are remembered. */
const MAX_SCOPES = 100;

/** Why the user is not asked again. */
export interface StepUpLimit {
  readonly reason: string;
  /** When a further request is allowed. */
  readonly retryAfterMs: number;
}

/** The logins that a server asked for because of a scope, in this process. */
export class StepUps {
  readonly #now: () => number;
  /** The generations that a scope was asked for, by scope; the oldest first. */
  readonly #byScope = new Map<string, Set<number>>();
  /** When a login was asked for, by generation. */
  readonly #asked = new Map<number, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a request for a scope, or says why no login is asked for. */
  ask(
    scope: string,
    generation: number,
    { isMachine, isPending }: { readonly isMachine: boolean; readonly isPending: boolean },
  ): StepUpLimit | undefined {
    const tried = this.#byScope.get(scope) ?? new Set<number>();
    // Requests that are refused at the same time ask for the same login.
    if (!tried.has(generation) && tried.size >= MAX_FOR_SCOPE) {
      // Without the scope: it is a text of the server, which an agent could take for one of the workbench.
      const reason = `the server refuses the request for lack of scope, even after ${tried.size} logins with the scope it asked for`;
      return { reason, retryAfterMs: Infinity };
    }
    // The next login, which the user was asked for already, requests this scope, too.
    const isCounted = !isPending && !this.#asked.has(generation);
    const limit = isCounted ? this.#limit(isMachine ? MAX_OF_MACHINE : MAX_IN_PERIOD) : undefined;
    if (limit !== undefined) return limit;
    if (isCounted) this.#asked.set(generation, this.#now());
    this.#byScope.set(scope, tried.add(generation));
    const [oldest] = this.#byScope.keys();
    if (this.#byScope.size > MAX_SCOPES && oldest !== undefined) this.#byScope.delete(oldest);
    return undefined;
  }

  #limit(max: number): StepUpLimit | undefined {
    const now = this.#now();
    for (const [generation, at] of this.#asked)
      if (now - at >= PERIOD_MS) this.#asked.delete(generation);
    if (this.#asked.size < max) return undefined;
    const reason = `the server asked for different scopes ${this.#asked.size} times within an hour, each time after a new login, so no further login is requested for now`;
    const retryAfterMs = Math.min(...this.#asked.values()) + PERIOD_MS - now;
    return { reason, retryAfterMs };
  }
}
