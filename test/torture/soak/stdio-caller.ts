/** A client over stdio that forgets everything as soon as it is settled. */
import type { Params, Response, RpcError } from "../../support/raw-client.ts";
import { LATEST_LEGACY, type Place } from "../../support/workbench.ts";
import type { Message } from "../../support/raw-client.ts";
import { Pipe } from "../fuzz/pipe.ts";

interface Waiting {
  readonly resolve: (response: Response) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

const PATIENCE_MS = 60_000;

export class StdioCaller {
  readonly pipe: Pipe;
  /** Answers to ids without a pending request: duplicates, late ones, and unknown ones. */
  readonly strays: string[] = [];
  readonly #waiting = new Map<unknown, Waiting>();
  #lastId = 0;

  constructor(place: Place) {
    this.pipe = new Pipe(place, (message) => this.#received(message));
    this.pipe.readMessages();
    this.pipe.child.on("close", () => {
      for (const id of this.#waiting.keys())
        this.#take(id)?.reject(new Error("the program has ended"));
    });
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: "soak", version: "1.0.0" };
    const params = { protocolVersion: LATEST_LEGACY, capabilities: {}, clientInfo };
    const { error } = await this.request("initialize", params);
    if (error !== undefined) throw new Error(`initialize failed: ${JSON.stringify(error)}`);
    this.pipe.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  request(method: string, params: Params = {}): Promise<Response> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        const late = `no answer to ${method} within ${PATIENCE_MS} ms`;
        reject(new Error(`${late}: ${this.pipe.logEnd}`));
      }, PATIENCE_MS);
      this.#waiting.set(id, { resolve, reject, timer });
      this.pipe.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  }

  #received({ id, method, result, error }: Message): void {
    if (method !== undefined) return;
    const waiting = this.#take(id);
    if (waiting === undefined) this.strays.push(JSON.stringify({ id, result }).slice(0, 300));
    else {
      const outcome = error === undefined ? { result } : { error: error as RpcError };
      waiting.resolve({ id: id as number, line: "", index: 0, ...outcome });
    }
  }

  #take(id: unknown): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    clearTimeout(waiting?.timer);
    this.#waiting.delete(id);
    return waiting;
  }
}
