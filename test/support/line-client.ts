/** A client of a workbench in this process, which exchanges lines with it as over stdio. */
import { PassThrough } from "node:stream";
import { serveStdio } from "../../src/serve/stdio.ts";
import { Conversation } from "./clients/conversation.ts";
import type { Message, Params } from "./clients/json-rpc.ts";
import { LineReader } from "./clients/line-reader.ts";
import { Transcript } from "./transcript.ts";

type ServeArguments = Parameters<typeof serveStdio>;

export class LineClient extends Conversation {
  readonly transcript = new Transcript("client in this process");
  readonly #input = new PassThrough();

  constructor(workbench: ServeArguments[0], view: ServeArguments[1]) {
    super();
    const output = new PassThrough();
    const reader = new LineReader((line) => {
      this.transcript.received(line);
      this.receive(line);
    });
    output.on("data", (chunk: Buffer) => {
      reader.push(chunk);
      this.wake();
    });
    void serveStdio(workbench, view, this.#input, output);
  }

  /** Sends a request, and returns the message that answers it. */
  async ask(method: string, params?: Params): Promise<Message> {
    const { line } = await this.request(method, params);
    return JSON.parse(line) as Message;
  }

  async close(): Promise<void> {
    this.#input.end();
    this.transcript.close();
    this.finish("the client was closed");
  }

  protected override transmit(text: string): void {
    this.transcript.sent(text);
    this.#input.write(`${text}\n`);
  }

  /** The workbench in this process logs nothing. */
  protected override get log(): string {
    return "";
  }
}
