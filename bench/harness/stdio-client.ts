import type { Readable } from "node:stream";

import type { Answer } from "./connection.ts";
import type { Program } from "./program.ts";

const NEWLINE = 10;
/** An id is within this many bytes of one end of a message. */
const EDGE = 128;
const KEPT = 4_096;
const ID = /"id":(\d+)/;

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** A raw JSON-RPC client over the pipes of a program. It never parses an answer. */
export class StdioClient {
  readonly #program: Program;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;

  constructor(program: Program) {
    this.#program = program;
    onMessages(program.child.stdout, (parts, bytes) => this.#answered(parts, bytes));
    void program.exited.then(() => this.#fail());
  }

  request(method: string, params: unknown): Promise<Answer> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#write(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":`, params);
    });
  }

  notify(method: string): void {
    this.#write(`{"jsonrpc":"2.0","method":"${method}","params":`, {});
  }

  #write(start: string, params: unknown): void {
    this.#program.child.stdin.write(`${start}${JSON.stringify(params)}}\n`);
  }

  #answered(parts: readonly Buffer[], bytes: number): void {
    const first = parts[0] as Buffer;
    const head = first.toString("latin1", 0, KEPT);
    // The text of a tool has its quotation marks escaped, so it cannot look like an id.
    const id = ID.exec(tailOf(parts))?.[1] ?? ID.exec(head.slice(0, EDGE))?.[1];
    const waiting = this.#waiting.get(Number(id));
    this.#waiting.delete(Number(id));
    waiting?.resolve({ bytes, head });
  }

  #fail(): void {
    const error = new Error(`the program ended: ${this.#program.stderr}`);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function tailOf(parts: readonly Buffer[]): string {
  const last = parts[parts.length - 1] as Buffer;
  const before = parts[parts.length - 2];
  const tail = last.toString("latin1", Math.max(0, last.length - EDGE));
  if (before === undefined || last.length >= EDGE) return tail;
  return before.toString("latin1", Math.max(0, before.length - EDGE)) + tail;
}

/** Splits a stream at line breaks without joining chunks. */
function onMessages(stream: Readable, onMessage: (parts: Buffer[], bytes: number) => void): void {
  let parts: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer): void => {
    parts.push(part);
    bytes += part.length;
  };
  stream.on("data", (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      const message = parts;
      const size = bytes;
      parts = [];
      bytes = 0;
      start = end + 1;
      onMessage(message, size);
    }
    if (start < chunk.length) add(chunk.subarray(start));
  });
}
