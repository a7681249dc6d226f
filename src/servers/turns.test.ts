import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";

import { PacedReader, type TakeChunk } from "./turns.ts";

const spin = (): void => {
  const begin = performance.now();
  while (performance.now() - begin < 5);
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Takes one byte after the other for as long as it may. */
const byteByByte =
  (onByte: (byte: string) => void): TakeChunk =>
  (chunk, mayGoOn) => {
    let at = 0;
    do onByte(chunk.toString("latin1", at, ++at));
    while (at < chunk.length && mayGoOn());
    return at;
  };

describe("a source that is always full", () => {
  it.each([["ab"], ["a", "b"]])(
    "lets others have a turn after what took long (%j %j)",
    async (...chunks) => {
      const source = new Readable({ read: () => {} });
      const order: string[] = [];
      const take = byteByByte((byte) => {
        order.push(byte);
        spin();
        setImmediate(() => order.push("others"));
      });
      const { done } = new PacedReader(source, take);
      for (const chunk of chunks) if (chunk !== undefined) source.push(chunk);
      source.push(null);
      await done;
      expect(order.slice(0, 3)).toEqual(["a", "others", "b"]);
    },
  );

  it("is not read while it is paused, and loses nothing", async () => {
    const source = new Readable({ read: () => {} });
    let read = "";
    const take = byteByByte((byte) => {
      read += byte;
      if (byte === "b") reader.setPaused(true);
    });
    const reader = new PacedReader(source, take);
    source.push("abc");
    source.push("def");
    source.push(null);
    await new Promise((resolve) => source.once("pause", resolve));
    for (let i = 0; i < 5; i++) await turn();
    expect(read).toBe("ab");
    reader.setPaused(false);
    await reader.done;
    expect(read).toBe("abcdef");
  });
});
