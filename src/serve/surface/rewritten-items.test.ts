import { describe, expect, it } from "vitest";
import type { Server } from "../../servers/server.ts";
import { rewrittenItems } from "./rewritten-items.ts";

const item = (i: number): { value: object; text: string } => ({ value: {}, text: `{"i":${i}}` });
const server = (name: string): Server => ({ name }) as Server;

describe("the rewritten items of a list", () => {
  it("keep their order, and let others have a turn in between", async () => {
    const found = [
      { server: server("a"), value: Array.from({ length: 30 }, (_, i) => item(i)) },
      { server: server("b"), value: [item(0)] },
    ] as Parameters<typeof rewrittenItems>[0];
    let turnsOfOthers = 0;
    const turn = (): void => {
      turnsOfOthers++;
      if (turnsOfOthers < 1000) setImmediate(turn);
    };
    setImmediate(turn);
    const texts = await rewrittenItems(found, ({ name }, { text }) => {
      const end = performance.now() + 2;
      while (performance.now() < end);
      return name + text;
    });
    expect(texts).toHaveLength(31);
    expect(texts.slice(0, 2)).toEqual(['a{"i":0}', 'a{"i":1}']);
    expect(texts[30]).toBe('b{"i":0}');
    expect(turnsOfOthers).toBeGreaterThan(1);
  });
});
