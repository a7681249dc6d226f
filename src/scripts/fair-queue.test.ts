import { describe, expect, it } from "vitest";

import { FairQueue, type ScriptOwner } from "./fair-queue.ts";

interface Item {
  readonly owner: ScriptOwner;
  readonly name: string;
}

/** An item from its name: `a1-x` is item x of client 1 of the principal a. */
const item = (name: string): Item => ({
  owner: { principal: name.charAt(0), client: name.charAt(1) },
  name,
});

function order(queue: FairQueue<Item>, mayHave: (principal: string) => boolean): string[] {
  const names: string[] = [];
  for (let next = queue.take(mayHave); next !== undefined; next = queue.take(mayHave))
    names.push(next.name);
  return names;
}

describe("the queue of scripts", () => {
  it("lets principals take turns, and the clients of each", () => {
    const queue = new FairQueue<Item>();
    for (const name of ["a1-a", "a1-b", "a1-c", "a2-a", "b1-a", "b1-b"])
      queue.add(item(name), false);
    expect(queue.count({ principal: "a", client: "1" })).toEqual({ principal: 4, client: 3 });
    expect(order(queue, () => true)).toEqual(["a1-a", "b1-a", "a2-a", "b1-b", "a1-b", "a1-c"]);
    expect(queue.items).toEqual([]);
  });

  it("passes over principals that have enough", () => {
    const queue = new FairQueue<Item>();
    for (const name of ["a1-a", "b1-a", "a1-b"]) queue.add(item(name), false);
    expect(order(queue, (principal) => principal !== "a")).toEqual(["b1-a"]);
    expect(queue.items.map(({ name }) => name)).toEqual(["a1-a", "a1-b"]);
  });

  it("puts what continues before the rest of its client, but not before others", () => {
    const queue = new FairQueue<Item>();
    queue.add(item("b1-a"), false);
    queue.add(item("a1-a"), false);
    queue.add(item("a1-b"), true);
    expect(order(queue, () => true)).toEqual(["b1-a", "a1-b", "a1-a"]);
  });

  it("forgets what is removed", () => {
    const queue = new FairQueue<Item>();
    const [first, second] = [item("a1-a"), item("a1-b")];
    queue.add(first, false);
    queue.add(second, false);
    expect([queue.remove(first), queue.remove(first)]).toEqual([true, false]);
    expect(order(queue, () => true)).toEqual(["a1-b"]);
  });
});
