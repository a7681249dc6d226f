import { describe, expect, it } from "vitest";
import { SPAN_KIND, type EndedSpan } from "./span.ts";
import { SpanQueue } from "./span-queue.ts";

const span = (name: string): EndedSpan => ({
  traceId: "1".repeat(32),
  spanId: "1".repeat(16),
  isSampled: true,
  parentId: undefined,
  traceState: undefined,
  kind: SPAN_KIND.server,
  startMs: 0,
  endMs: 1,
  name,
  attributes: {},
  errorMessage: undefined,
});

describe("the queue of spans", () => {
  it("sends batches one after the other, and drops what does not fit", async () => {
    const batches: string[][] = [];
    let release: (lost: number) => void = () => {};
    const queue = new SpanQueue({
      queueSize: 4,
      batchSize: 2,
      delayMs: 1e6,
      send: (spans) => {
        batches.push(spans.map(({ name }) => name));
        return new Promise((resolve) => (release = resolve));
      },
    });
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    queue.add(span("a"));
    await turn();
    expect(batches).toEqual([]);
    queue.add(span("b"));
    await turn();
    expect(batches).toEqual([["a", "b"]]);
    for (const name of ["c", "d", "e", "f", "g", "h"]) queue.add(span(name));
    await turn();
    expect([batches.length, queue.dropped]).toEqual([1, 2]);
    const flushed = queue.flush();
    release(1);
    await turn();
    release(0);
    await turn();
    release(0);
    await flushed;
    expect(batches).toEqual([
      ["a", "b"],
      ["c", "d"],
      ["e", "f"],
    ]);
    expect([queue.exported, queue.dropped]).toEqual([5, 3]);
    await queue.flush();
  });
});
