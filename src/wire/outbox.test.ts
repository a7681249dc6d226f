import { Writable } from "node:stream";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Outbox } from "./outbox.ts";

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

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const items = fc.array(
  fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "binary" }).map((text) => Buffer.from(text)),
  ),
);

function put(outbox: Outbox, list: readonly (string | Buffer)[]): void {
  for (const item of list)
    if (typeof item === "string") outbox.text(item);
    else outbox.bytes(item);
}

describe("Outbox", () => {
  it("writes everything in order, with one write per turn of the event loop", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(items, { maxLength: 4 }), async (turns) => {
        const sink = new Sink();
        const outbox = new Outbox(sink);
        for (const list of turns) {
          const before = sink.writes.length;
          put(outbox, list);
          expect(sink.writes.length).toBe(before);
          await turn();
          expect(sink.writes.length - before).toBeLessThanOrEqual(1);
        }
        expect(sink.content).toBe(turns.flat().map(String).join(""));
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
    const large = Buffer.alloc(100_000);
    outbox.bytes(large);
    await turn();
    expect(chunks[0]).toBe(large);
  });

  it("accepts output while it is writing", async () => {
    const written: string[] = [];
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        written.push(String(chunk));
        if (written.length === 1) outbox.text("b");
        done();
      },
    });
    const outbox = new Outbox(sink);
    outbox.text("a");
    await turn();
    expect(written).toEqual(["a", "b"]);
  });

  it.each(["destroy", "end"] as const)("drops output after %s", async (way) => {
    const sink = new Sink();
    const errors: unknown[] = [];
    sink.on("error", (error) => errors.push(error));
    const outbox = new Outbox(sink);
    outbox.text("before");
    await turn();
    sink[way]();
    outbox.text("after");
    await turn();
    expect(sink.content).toBe("before");
    expect(errors).toEqual([]);
  });

  it("reports how many bytes its reader has not consumed", async () => {
    const done: (() => void)[] = [];
    const sink = new Writable({
      highWaterMark: 4,
      write: (_chunk, _encoding, callback) => void done.push(callback),
    });
    const outbox = new Outbox(sink);
    outbox.text("12345678");
    await turn();
    expect(outbox.backlog).toBe(8);
    done.shift()?.();
    await turn();
    expect(outbox.backlog).toBe(0);
  });
});
