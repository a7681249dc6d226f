import { Writable } from "node:stream";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jsonTexts } from "../../test/support/json-arbitraries.ts";
import { Outbox } from "./lines.ts";

/** Keeps what is written, and how it was handed over to the operating system. */
class Sink extends Writable {
  readonly writes: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.writes.push(Buffer.from(chunk));
    done();
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.writes.push(Buffer.concat(chunks.map(({ chunk }) => chunk)));
    done();
  }

  get content(): string {
    return Buffer.concat(this.writes).toString();
  }
}

/** Where any of the usual readers would end a line. */
const ANY_LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
const meaning = (text: string): unknown => JSON.parse(text) as unknown;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const { value } = jsonTexts();
const messages = fc.array(fc.tuple(value, fc.boolean()));

function put(outbox: Outbox, list: readonly (readonly [text: string, inPieces: boolean])[]): void {
  for (const [text, inPieces] of list)
    if (inPieces) outbox.pieces([text.slice(0, 1), Buffer.from(text.slice(1))]);
    else outbox.line(text);
}

describe("Outbox", () => {
  it("writes everything in order, with one write per turn of the event loop", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(messages, { maxLength: 4 }), async (turns) => {
        const sink = new Sink();
        const outbox = new Outbox(sink);
        for (const list of turns) {
          const before = sink.writes.length;
          put(outbox, list);
          expect(sink.writes.length).toBe(before);
          await turn();
          expect(sink.writes.length - before).toBeLessThanOrEqual(1);
        }
        const all = turns.flat().map(([text]) => text);
        const lines = sink.content.split(ANY_LINE_END);
        expect(lines.pop()).toBe("");
        expect(lines.map(meaning)).toEqual(all.map(meaning));
      }),
    );
  });

  it("passes large buffers on without copying them", async () => {
    const chunks: unknown[] = [];
    const sink = new Writable({
      write(chunk: unknown, _encoding, done) {
        chunks.push(chunk);
        done();
      },
    });
    const outbox = new Outbox(sink);
    const large = Buffer.alloc(100_000, "x");
    outbox.pieces([large]);
    await turn();
    expect(chunks[0]).toBe(large);
  });

  it("accepts output while it is writing", async () => {
    const written: string[] = [];
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        written.push(String(chunk));
        if (written.length === 1) outbox.line("2");
        done();
      },
    });
    const outbox = new Outbox(sink);
    outbox.line("1");
    await turn();
    expect(written).toEqual(["1\n", "2\n"]);
  });

  it.each(["destroy", "end"] as const)("drops output after %s", async (way) => {
    const sink = new Sink();
    const errors: unknown[] = [];
    sink.on("error", (error) => errors.push(error));
    const outbox = new Outbox(sink);
    outbox.line("1");
    await turn();
    sink[way]();
    outbox.line("2");
    await turn();
    expect(sink.content).toBe("1\n");
    expect(errors).toEqual([]);
  });

  it("reports how many bytes its reader has not consumed", async () => {
    const done: (() => void)[] = [];
    const sink = new Writable({
      highWaterMark: 4,
      write: (_chunk, _encoding, callback) => void done.push(callback),
    });
    const outbox = new Outbox(sink);
    outbox.line("1234567");
    await turn();
    expect(outbox.backlog).toBe(8);
    done.shift()?.();
    await turn();
    expect(outbox.backlog).toBe(0);
  });
});
