import type { ClientCall } from "../calls/call.ts";
import { inputResultIn } from "../calls/input-requests.ts";
import type { Outcome } from "../calls/outcome.ts";

/** How long a server waits for input. */
const MAX_AGE_MS = 60 * 60_000;
const MAX_CALLS = 1000;

/**
 * Calls that a modern server has answered with a request for input. A modern client sends the call again,
 * with the input; that is the same call, which was approved and counted already.
 */
export class ContinuedCalls {
  readonly #now: () => number;
  /** When they expire, by their keys; several may have the same. */
  readonly #waiting = new Map<string, number[]>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether a request continues a call; it does so once. */
  take({ request }: ClientCall, key: () => string): boolean {
    if (this.#waiting.size === 0 || request.plain !== undefined) return false;
    if (request.params["inputResponses"] === undefined) return false;
    const name = key();
    const waiting = this.#waiting.get(name)?.filter((until) => until > this.#now()) ?? [];
    const isContinued = waiting.shift() !== undefined;
    if (waiting.length === 0) this.#waiting.delete(name);
    else this.#waiting.set(name, waiting);
    return isContinued;
  }

  /** Remembers a call that its client may continue after this outcome. */
  note({ caller, parent, route }: ClientCall, outcome: Outcome, key: () => string): void {
    if (caller.era !== "modern" || parent !== undefined || route?.hello.era !== "modern") return;
    if (outcome.kind !== "response") return;
    const asked = inputResultIn(outcome.response);
    if (asked === undefined || "code" in asked || !asked.endsCall) return;
    const name = key();
    const waiting = this.#waiting.get(name) ?? [];
    this.#waiting.delete(name);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size >= MAX_CALLS && oldest !== undefined) this.#waiting.delete(oldest);
    this.#waiting.set(name, [...waiting, this.#now() + MAX_AGE_MS].slice(-MAX_CALLS));
  }
}
