/** A client over standard input and output, without an SDK. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { Conversation } from "./clients/conversation.ts";
import { GENEROUS_MS } from "./clients/json-rpc.ts";
import { LineReader } from "./clients/line-reader.ts";
import { Transcript } from "./transcript.ts";

export type { RequestOptions, Responder } from "./clients/conversation.ts";
export {
  type Arrived,
  GENEROUS_MS,
  type Message,
  type Notification,
  type Params,
  parseMessage,
  type RequestId,
  type Response,
  type RpcError,
  RpcFailure,
  type ServerRequest,
} from "./clients/json-rpc.ts";

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class RawClient extends Conversation {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<Exit>;
  readonly transcript: Transcript;
  stderr = "";
  #exit: Exit | undefined;

  constructor(child: ChildProcessWithoutNullStreams) {
    super();
    this.child = child;
    this.transcript = new Transcript(`process ${child.pid}`, () => this.stderr);
    const reader = new LineReader((line) => {
      this.transcript.received(line);
      this.receive(line);
    });
    child.stdout.on("data", (chunk: Buffer) => {
      reader.push(chunk);
      this.wake();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.wake();
    });
    // Writing to a program that has just ended is part of some tests.
    child.stdin.on("error", () => {});
    this.exited = new Promise((resolve) => {
      const end = (exit: Exit): void => {
        this.#exit = exit;
        this.transcript.note(`exit code ${exit.code}, signal ${exit.signal}`);
        this.transcript.close();
        resolve(exit);
        this.finish("program ended", ` (code ${exit.code}, signal ${exit.signal})`);
      };
      child.on("error", () => end({ code: null, signal: null }));
      // The program's last output is read before its end is reported.
      child.on("close", (code, signal) => {
        // A program that is killed may be in the middle of a line.
        if (reader.rest !== "" && signal !== "SIGKILL") this.garbage.push(reader.rest);
        end({ code, signal });
      });
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw this.failure("program was not started");
    return this.child.pid;
  }

  get hasExited(): boolean {
    return this.#exit !== undefined;
  }

  /** Ends stdin, as a client does when it is finished, and waits for the program to exit. */
  close(timeout = GENEROUS_MS): Promise<Exit> {
    this.child.stdin.end();
    return this.ended(timeout);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async ended(timeout = GENEROUS_MS): Promise<Exit> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const fail = (): void => reject(this.failure(`program still runs after ${timeout} ms`));
      timer = setTimeout(fail, timeout);
    });
    return Promise.race([this.exited, late]).finally(() => clearTimeout(timer));
  }

  protected override transmit(text: string): void {
    this.transcript.sent(text);
    this.child.stdin.write(`${text}\n`);
  }

  protected override get log(): string {
    return this.stderr;
  }
}
