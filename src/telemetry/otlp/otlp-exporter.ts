import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

import { timeLimit } from "../../calls/time-limit.ts";
import { reasonOf } from "../../errors.ts";
import type { ExportSettings } from "../otel-settings.ts";
import { type OtlpAnswer, OtlpClient, type OtlpPayload } from "./otlp-client.ts";
import { rejectedIn } from "./partial-success.ts";
import { type Message, encodeMessage } from "./protobuf.ts";

/** How an export ended; `rejected` items were received, but not accepted. */
export type ExportResult =
  | { readonly isDone: true; readonly rejected: number }
  | { readonly isDone: false; readonly reason: string };

export interface ExporterOptions {
  readonly settings: ExportSettings;
  /** The fields of what is sent. */
  readonly message: Message;
}

/** The waiting time before the second attempt; it grows with each of them. */
const FIRST_PAUSE_MS = 1000;
const GROWTH = 1.5;
const MAX_PAUSE_MS = 5000;

/** Sends data to a collector with OTLP over HTTP. */
export class OtlpExporter {
  readonly #options: ExporterOptions;
  readonly #client: OtlpClient;

  constructor(options: ExporterOptions) {
    const { url, headers, tls } = options.settings;
    this.#options = options;
    const files = Object.entries(tls).map(([key, file]) => [key, readFileSync(file)]);
    this.#client = new OtlpClient(new URL(url), headers, Object.fromEntries(files));
  }

  /**
   * Sends the parts of a body, again if that may help, until the time is over or `signal` is aborted.
   * Each part is a complete body with one list; what they have in common is their key.
   */
  async export(parts: Iterable<object>, signal: AbortSignal): Promise<ExportResult> {
    const { settings } = this.#options;
    const limit = timeLimit(signal, settings.timeoutMs);
    const deadline = performance.now() + settings.timeoutMs;
    try {
      const payload = await this.#payload(parts);
      for (let attempt = 0; ; attempt++) {
        const answer = await this.#client.post(payload, limit.signal);
        if (answer.isOk) return { isDone: true, rejected: rejectedIn(answer.body) };
        const pause = pauseAfter(attempt, answer);
        const isOver = limit.signal.aborted || performance.now() + pause > deadline;
        if (!answer.mayRetry || isOver) return { isDone: false, reason: answer.reason };
        await pauseFor(pause, limit.signal);
        if (limit.signal.aborted) return { isDone: false, reason: answer.reason };
      }
    } catch (error) {
      return { isDone: false, reason: reasonOf(error) };
    } finally {
      limit.end();
    }
  }

  close(): void {
    this.#client.close();
  }

  async #payload(parts: Iterable<object>): Promise<OtlpPayload> {
    const { settings, message } = this.#options;
    const isJson = settings.protocol === "http/json";
    const written: Buffer[] = [];
    for (const part of parts) {
      if (!isJson) written.push(encodeMessage(part, message));
      else {
        // `{"key":[1]}` and `{"key":[2]}` become `{"key":[1` and `,2`.
        const text = JSON.stringify(part).slice(0, -2);
        const isFirst = written.length === 0;
        written.push(Buffer.from(isFirst ? text : `,${text.slice(text.indexOf("[") + 1)}`));
      }
      // Calls come first.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    if (isJson) written.push(Buffer.from("]}"));
    const bytes = Buffer.concat(written);
    const type = isJson ? "application/json" : "application/x-protobuf";
    if (!settings.isCompressed) return { type, bytes };
    return { type, encoding: "gzip", bytes: await promisify(gzip)(bytes) };
  }
}

function pauseAfter(attempt: number, { retryAfterMs }: OtlpAnswer): number {
  // Many programs may have lost the same collector; they should not return at the same time.
  const longest = Math.min(FIRST_PAUSE_MS * GROWTH ** attempt, MAX_PAUSE_MS);
  return retryAfterMs ?? longest * (0.8 + 0.4 * Math.random());
}

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    // A program that has nothing else to do does not wait for this.
    timer.unref();
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
