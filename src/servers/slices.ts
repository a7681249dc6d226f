/** How long other work may have to wait. */
const SLICE_MS = 10;

/**
 * Splits long work into slices with time for other work in between. Counts only the time of the
 * work itself, not the time it waits.
 */
export class Slices {
  #spent = 0;
  #since: number | undefined;

  get spentMs(): number {
    return this.#spent + (this.#since === undefined ? 0 : performance.now() - this.#since);
  }

  /** Starts counting. */
  begin(): void {
    this.#since ??= performance.now();
  }

  end(): void {
    this.#spent = this.spentMs;
    this.#since = undefined;
  }

  /** True if the current slice is over and `rest` should be awaited. */
  get due(): boolean {
    return this.#since !== undefined && performance.now() - this.#since >= SLICE_MS;
  }

  /** Lets other work run, including the next slice of other long work. */
  async rest(): Promise<void> {
    this.end();
    await new Promise<void>((resolve) => resting().add(resolve));
    this.begin();
  }
}

/**
 * Long work that waits for its next slice. One piece of work continues at a time, and two turns of the
 * event loop later the next one: in these turns, a new connection is accepted and its request is read.
 */
class Resting {
  readonly #waiting: (() => void)[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  add(resume: () => void): void {
    this.#waiting.push(resume);
    if (this.#waiting.length === 1) this.#resumeLater();
  }

  #resumeLater(): void {
    setImmediate(() =>
      setImmediate(() => {
        this.#waiting.shift()?.();
        if (this.#waiting.length > 0) this.#resumeLater();
      }),
    );
  }
}

const RESTING = Symbol.for("mcp-workbench.resting");

/** A thread has one event loop, so it has one queue, also where several bundles contain this module. */
function resting(): Resting {
  const shared = globalThis as { [RESTING]?: Resting };
  return (shared[RESTING] ??= new Resting());
}

/** Whether long work will continue by itself, in a later turn of the event loop. */
export function isWorkWaiting(): boolean {
  return resting().size > 0;
}
