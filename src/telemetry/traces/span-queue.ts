import type { EndedSpan } from "./span.ts";

export interface SpanQueueOptions {
  readonly queueSize: number;
  readonly batchSize: number;
  readonly delayMs: number;
  /** Sends some spans; resolves with the number of those that were lost. */
  readonly send: (spans: readonly EndedSpan[]) => Promise<number>;
}

/**
 * Spans that wait to be exported. Adding one never waits: if the collector is too slow, there is no
 * room and the span is dropped and counted.
 */
export class SpanQueue {
  /** Spans that were never exported. */
  dropped = 0;
  exported = 0;
  readonly #options: SpanQueueOptions;
  readonly #spans: EndedSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
  }

  add(span: EndedSpan): void {
    const { queueSize, batchSize, delayMs } = this.#options;
    if (this.#spans.length >= queueSize) {
      this.dropped++;
      return;
    }
    this.#spans.push(span);
    if (this.#sending !== undefined) return;
    if (this.#spans.length >= batchSize) this.#startSending();
    else this.#timer ??= setTimeout(() => this.#startSending(), delayMs).unref();
  }

  /** Sends everything that waits; what cannot be sent counts as dropped. */
  async flush(): Promise<void> {
    await this.#sending;
    if (this.#spans.length > 0) this.#startSending();
    await this.#sending;
  }

  #startSending(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  async #send(): Promise<void> {
    // The call that filled the batch gets its answer first.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#spans.length > 0) {
      const batch = this.#spans.splice(0, this.#options.batchSize);
      const lost = await this.#options.send(batch);
      this.dropped += lost;
      this.exported += batch.length - lost;
    }
  }
}
