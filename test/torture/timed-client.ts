import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { RawClient, type RequestOptions, type Response } from "../support/raw-client.ts";

import { isAuditedMethod } from "../support/audit.ts";
import type { Program } from "./program.ts";

export interface Timing {
  readonly method: string;
  readonly hasProgress: boolean;
  readonly tookMs: number;
  readonly answered: boolean;
}

export type Patience = Pick<Program, "startMs" | "answerMs">;

/** A raw client that remembers how long every answer took. */
export class TimedClient extends RawClient {
  readonly timings: Timing[] = [];
  /** The requests it sent that belong in the audit log. */
  calls = 0;
  readonly #startMs: number;
  readonly #answerMs: number;

  constructor(child: ChildProcessWithoutNullStreams, { startMs, answerMs }: Patience) {
    super(child);
    this.#startMs = startMs;
    this.#answerMs = answerMs;
  }

  protected override transmit(text: string): void {
    const [, method = ""] = /"id":.*"method":"([^"]+)"/.exec(text) ?? [];
    if (isAuditedMethod(method)) this.calls++;
    super.transmit(text);
  }

  override async requestText(
    method: string,
    params: string | undefined,
    { timeout = Infinity, ...options }: RequestOptions = {},
  ): Promise<Response> {
    const begin = performance.now();
    const hasProgress = params?.includes("progressToken") ?? false;
    const note = (answered: boolean): void => {
      this.timings.push({ method, hasProgress, tookMs: performance.now() - begin, answered });
    };
    try {
      // The first answer has its own limit.
      const limit = method === "initialize" ? this.#startMs : this.#answerMs;
      const limited = { ...options, timeout: Math.min(timeout, limit) };
      const response = await super.requestText(method, params, limited);
      note(true);
      return response;
    } catch (error) {
      note(false);
      throw error;
    }
  }
}
