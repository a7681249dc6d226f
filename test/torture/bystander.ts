/**
 * A healthy server that is called all the time while another one fails. So that a busy machine is
 * not blamed on the program, a measured bystander also makes the same call directly, without the
 * program, and knows how long the program only waited for a processor.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

/** Makes a server echo a text. */
export type Echo = (text: string) => Promise<string>;

/** What the latency of the program is compared with. */
export interface Reference {
  readonly direct: Echo;
  /** How long the program has waited for a processor so far. */
  readonly waited: () => number;
}

export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface BystanderReport extends Latencies {
  readonly calls: number;
  readonly errors: readonly string[];
  /** The same without the time that the program waited for a processor. */
  readonly own: Latencies;
  /** The same without the program in between. */
  readonly direct: Latencies;
}

const EVERY_MS = 50;
/** When only calls are missing: closer together, a stall still delays at least as many of them. */
const REST_EVERY_MS = 20;
const MAX_AT_ONCE = 3;

export class Bystander {
  readonly #through: Echo;
  readonly #reference: Reference | undefined;
  readonly #took: number[] = [];
  readonly #tookOwn: number[] = [];
  readonly #tookDirect: number[] = [];
  readonly #errors: string[] = [];
  readonly #running = new Set<Promise<void>>();
  #begun = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(through: Echo, reference?: Reference) {
    this.#through = through;
    this.#reference = reference;
  }

  start(): void {
    this.#callEvery(EVERY_MS);
  }

  /**
   * Ends the calls, after at least so many; the 99th percentile of a few would be their maximum.
   * Once they have ended, no more of them are waited for.
   */
  async stop(atLeast = 0): Promise<BystanderReport> {
    if (this.#timer !== undefined && this.#begun < atLeast) this.#callEvery(REST_EVERY_MS);
    while (this.#timer !== undefined && this.#begun < atLeast) await delay(REST_EVERY_MS);
    clearInterval(this.#timer);
    this.#timer = undefined;
    await Promise.all(this.#running);
    return {
      calls: this.#took.length,
      errors: this.#errors,
      ...latencies(this.#took),
      own: latencies(this.#tookOwn),
      direct: latencies(this.#tookDirect),
    };
  }

  #callEvery(ms: number): void {
    clearInterval(this.#timer);
    const reference = this.#reference;
    this.#timer = setInterval(() => {
      if (reference !== undefined) this.#measureCall(reference);
      // Calls that pile up would keep a busy machine busy.
      else if (this.#running.size < MAX_AT_ONCE)
        this.#call(this.#through, (took) => this.#took.push(took));
    }, ms);
  }

  /** Does not wait for earlier calls, so that a stall is measured in full. */
  #measureCall({ direct, waited }: Reference): void {
    const waitedBefore = waited();
    this.#call(this.#through, (ms) => {
      this.#took.push(ms);
      this.#tookOwn.push(ms - (waited() - waitedBefore));
    });
    this.#call(direct, (ms) => this.#tookDirect.push(ms));
  }

  #call(echo: Echo, took: (ms: number) => void): void {
    if (echo === this.#through) this.#begun++;
    const nonce = randomUUID();
    const begin = performance.now();
    const call = echo(nonce)
      .then((answer) => {
        if (answer !== nonce) this.#errors.push(`asked for ${nonce}, got ${answer}`);
      })
      .catch((error: unknown) => {
        this.#errors.push(String(error).slice(0, 300));
      })
      .then(() => {
        took(performance.now() - begin);
        this.#running.delete(call);
      });
    this.#running.add(call);
  }
}

export function latencies(took: readonly number[]): Latencies {
  const sorted = [...took].sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0);
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
