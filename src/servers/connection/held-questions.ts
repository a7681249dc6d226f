import type { ServerRequest } from "../../calls/server-request.ts";

/** Longer than most calls take, and shorter than servers wait for an answer. */
const HOLD_MS = 30_000;

/**
 * Requests of a server that came while calls of several clients were in flight. Most calls end soon,
 * and the one that waits for the answer does not: when it is the only one left, it is known whose
 * request that is.
 */
export class HeldQuestions {
  readonly #held = new Map<ServerRequest, NodeJS.Timeout>();
  readonly #refuse: (question: ServerRequest) => void;

  constructor(refuse: (question: ServerRequest) => void) {
    this.#refuse = refuse;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Oldest first. */
  get all(): ServerRequest[] {
    return [...this.#held.keys()];
  }

  /** Keeps a request until it is released, answered or withdrawn, but not for ever. */
  add(question: ServerRequest): void {
    const timer = setTimeout(() => this.#refuse(question), HOLD_MS).unref();
    this.#held.set(question, timer);
    const { settled } = question;
    question.settled = (answer) => {
      this.release(question);
      settled?.(answer);
    };
  }

  release(question: ServerRequest): void {
    clearTimeout(this.#held.get(question));
    this.#held.delete(question);
  }

  /** If each of so many clients may be waiting for an answer, no call ends by itself: the last request gives way. */
  giveWay(clients: number): void {
    const last = this.all.at(-1);
    if (last !== undefined && this.size >= clients) this.#refuse(last);
  }

  /** The server no longer wants an answer. */
  cancel(requestId: unknown): void {
    this.all.find(({ request }) => request.id === requestId)?.withdraw(undefined);
  }
}
