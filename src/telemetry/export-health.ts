import type { ExportResult } from "./otlp/otlp-exporter.ts";

export interface ExportLog {
  warn(message: string): void;
  info(message: string): void;
}

/** Counts exports of one signal, and logs when they begin to fail and when they work again. */
export class ExportHealth {
  failures = 0;
  /** Items that the collector received and rejected. */
  rejected = 0;
  readonly #what: string;
  readonly #log: ExportLog;
  #isFailing = false;

  constructor(what: string, log: ExportLog) {
    this.#what = what;
    this.#log = log;
  }

  record(result: ExportResult): void {
    if (result.isDone) {
      this.rejected += result.rejected;
      if (this.#isFailing) this.#log.info(`${this.#what} are exported again`);
      this.#isFailing = false;
      return;
    }
    this.failures++;
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#log.warn(`${this.#what} cannot be exported: ${result.reason}. Calls are not affected`);
  }
}
