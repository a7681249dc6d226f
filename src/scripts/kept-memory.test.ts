import { describe, expect, it } from "vitest";

import { KeptMemory, type KeptScript } from "./kept-memory.ts";

const MEGABYTE = 1024 * 1024;

function filled(...scripts: readonly (readonly [principal: string, client: string])[]): {
  memory: KeptMemory;
  evicted: string[];
  mayKeep: (principal: string, client: string) => boolean;
} {
  const memory = new KeptMemory();
  const evicted: string[] = [];
  for (const [index, [principal, client]] of scripts.entries()) {
    const script: KeptScript = {
      owner: { principal, client },
      evict: () => evicted.push(`${principal}${client}-${index}`),
    };
    memory.add(script, 64 * MEGABYTE);
  }
  const mayKeep = (principal: string, client: string): boolean =>
    memory.makeRoom({ principal, client }, 64 * MEGABYTE, 64);
  return { memory, evicted, mayKeep };
}

describe("the memory of waiting scripts", () => {
  it("has a share for each client and each principal", () => {
    const { mayKeep, evicted } = filled(["a", "1"], ["a", "1"], ["a", "1"]);
    expect(mayKeep("a", "1")).toBe(false);
    expect(mayKeep("a", "2")).toBe(true);
    const full = filled(["a", "1"], ["a", "1"], ["a", "1"], ["a", "2"]);
    expect(full.mayKeep("a", "3")).toBe(false);
    expect(full.mayKeep("b", "1")).toBe(true);
    expect(evicted).toEqual([]);
  });

  it("is taken from the principal that has most, if all of it is used", () => {
    const a = ["a", "1"] as const;
    const b = ["b", "1"] as const;
    const { mayKeep, evicted } = filled(b, a, ["a", "2"], a, a, b, b, ["c", "1"]);
    expect(mayKeep("b", "2")).toBe(false);
    expect(evicted).toEqual([]);
    expect(mayKeep("c", "1")).toBe(true);
    expect(evicted).toEqual(["a1-1"]);
  });

  it("has room for several scripts of any size that is allowed", () => {
    const { memory } = filled();
    const owner = { principal: "a", client: "1" };
    expect(memory.makeRoom(owner, 1000 * MEGABYTE, 1000)).toBe(true);
  });
});
