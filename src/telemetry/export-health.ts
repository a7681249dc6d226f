import type { ExportResult } from "./otlp/otlp-exporter.ts";

export interface ExportLog {
  warn(message: string): void;
  info(message: string): void;
}

/** A collector that fails now and then does not fill the log. */
const QUIET_MS = 60_000;

/** Counts exports of one signal, and logs when they begin to fail and when they work again. */
export class ExportHealth {
  failures = 0;
  /** Items that the collector received and rejected. */
  rejected = 0;
  readonly #what: string;
  readonly #log: ExportLog;
  readonly #now: () => number;
  /** Whether the log says that exports fail. */
  #isReported = false;
  #reportedAt = -Infinity;

  constructor(what: string, log: ExportLog, now = (): number => performance.now()) {
    this.#what = what;
    this.#log = log;
    this.#now = now;
  }

  record(result: ExportResult): void {
    if (result.isDone) {
      this.rejected += result.rejected;
      if (this.#isReported) this.#log.info(`${this.#what} are exported again`);
      this.#isReported = false;
      return;
    }
    this.failures++;
    if (this.#isReported || this.#now() - this.#reportedAt < QUIET_MS) return;
    this.#isReported = true;
    this.#reportedAt = this.#now();
    this.#log.warn(`${this.#what} cannot be exported: ${result.reason}. Calls are not affected`);
  }
}
