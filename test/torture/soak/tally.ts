/** The outcomes of all calls. */
import { randomUUID } from "node:crypto";
import { type Requests, resultOf, useTool } from "../../support/calls.ts";
import type { Response } from "../../support/raw-client.ts";
import { HANG_MS, STEADY } from "./world.ts";

/** A call ends at its deadline and a second at the latest; the rest is for a busy machine. */
const LATEST_MS = 2 * HANG_MS + 1000 + 2000;

export class Tally {
  /** Calls that were answered with what was asked for. */
  right = 0;
  /** Calls to a server with a fault, which failed with that reason. */
  refused = 0;
  readonly wrong: string[] = [];
  readonly missing: string[] = [];
  readonly late: string[] = [];
  /** Calls through programs that ended during the run. */
  elsewhere = 0;
  /** The durations of calls to the server without faults. */
  readonly tookSteady: number[] = [];

  get calls(): number {
    return this.right + this.refused + this.wrong.length + this.missing.length;
  }

  /** Has a nonce echoed. Any other answer has to name the server and a reason. */
  async echo(client: Requests, server: string, args: object = {}): Promise<void> {
    const nonce = randomUUID();
    const toolbox = server === STEADY ? "calm" : "dev";
    const begin = performance.now();
    const answer = await this.#answer(client, `${toolbox}/${server}/echo`, {
      text: nonce,
      ...args,
    });
    if (answer === undefined) return;
    if (server === STEADY) this.tookSteady.push(performance.now() - begin);
    this.#judge(server, answer, (text) => text === nonce);
  }

  /** Makes a server fail. */
  async fault(client: Requests, server: string): Promise<void> {
    const begin = performance.now();
    const answer = await this.#answer(client, `dev/${server}/fault`, {});
    if (answer === undefined) return;
    this.#judge(server, answer, (text) => text === "done");
    const ms = performance.now() - begin;
    if (server === "hangs" && ms > LATEST_MS) this.late.push(`${server}: ${ms} ms`);
  }

  async #answer(client: Requests, path: string, args: object): Promise<Response | undefined> {
    try {
      return await useTool(client, path, args);
    } catch (error) {
      this.missing.push(`${path}: ${String(error).slice(0, 300)}`);
      return undefined;
    }
  }

  #judge(server: string, answer: Response, isRight: (text: string | undefined) => boolean): void {
    if (answer.error === undefined) {
      const { content, isError } = resultOf(answer);
      const text = content[0]?.text;
      if (isError !== true && isRight(text)) this.right++;
      else if (isError === true && server !== STEADY && text?.includes(`'${server}'`) === true)
        this.refused++;
      else this.wrong.push(`${server}: ${JSON.stringify(answer).slice(0, 300)}`);
    } else this.wrong.push(`${server}: ${JSON.stringify(answer.error).slice(0, 300)}`);
  }
}
