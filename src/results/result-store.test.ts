import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { perTest } from "../../test/support/disposables.ts";
import { temporaryFolder } from "../../test/support/workbench.ts";
import { type ResultOwner, ResultStore } from "./result-store.ts";

const cleanup = perTest();
const ONE: ResultOwner = { principal: "owner", client: "a" };
const OTHERS: readonly ResultOwner[] = [
  { principal: "owner", client: "b" },
  { principal: "token:1", client: "a" },
  { principal: "owner ", client: "a" },
];

function scene({ totalBytes = 1000, idleMs = 1000 } = {}) {
  const root = join(temporaryFolder(cleanup), "results");
  let now = 0;
  const settings = { limit: "client" as const, maxBytes: 1000, totalBytes, idleMs };
  const store = new ResultStore({ root, settings: () => settings, now: () => now });
  cleanup.defer(() => store.close());
  const put = (owner: ResultOwner, bytes = 10): { id: string; file: string } => {
    const { id, file, keep } = store.reserve(owner);
    writeFileSync(file, "x".repeat(bytes));
    keep(bytes, false);
    return { id, file };
  };
  return { root, store, put, settings, pass: (ms: number) => (now += ms) };
}

describe("the store of results", () => {
  it("numbers the results of each client, in private folders", () => {
    const { root, put } = scene();
    expect([put(ONE).id, put(ONE).id, put(OTHERS[0] as ResultOwner).id]).toEqual([
      "r1",
      "r2",
      "r1",
    ]);
    const folders = [root, ...readdirSync(root).map((name) => join(root, name))];
    expect(folders).toHaveLength(3);
    for (const folder of folders) expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it.each(OTHERS)("finds no result of another client: %j", (other) => {
    const { store, put } = scene();
    const { id } = put(ONE);
    expect(store.find(ONE, id)).toBeDefined();
    expect(store.find(other, id)).toBeUndefined();
    expect(store.ids(other)).toEqual([]);
  });

  it("numbers on when a client connects again, and keeps what it has stored since", () => {
    const { store, put } = scene();
    const again = { ...ONE, epoch: 1 };
    expect([put(ONE).id, put(again).id]).toEqual(["r1", "r1000001"]);
    store.end(ONE);
    expect([store.ids(ONE), store.ids(again)]).toEqual([[], ["r1000001"]]);
    store.end({ principal: ONE.principal });
    expect(store.ids(again)).toEqual([]);
  });

  it("removes what is not used for a while, and never uses an id again", () => {
    const { store, put, pass } = scene();
    const [used, unused] = [put(ONE), put(ONE)];
    pass(600);
    expect(store.find(ONE, used.id)).toBeDefined();
    pass(600);
    expect(store.ids(ONE)).toEqual([used.id]);
    expect(existsSync(unused.file)).toBe(false);
    pass(1000);
    expect(store.find(ONE, used.id)).toBeUndefined();
    expect(put(ONE).id).toBe("r3");
  });

  it("removes what was not used for the longest time if there is no room", () => {
    const { store, put, pass } = scene();
    const ids = [put(ONE, 400).id, put(ONE, 400).id];
    pass(1);
    store.find(ONE, "r1");
    pass(1);
    put(ONE, 400);
    expect(store.ids(ONE)).toEqual(["r1", "r3"]);
    expect(ids).toEqual(["r1", "r2"]);
  });

  it("takes room from the client that uses most of it", () => {
    const { store, put, pass } = scene();
    const [other] = OTHERS as [ResultOwner];
    put(other, 100);
    pass(1);
    for (let i = 0; i < 5; i++) put(ONE, 300);
    expect(store.ids(other)).toEqual(["r1"]);
    expect(store.ids(ONE)).toEqual(["r3", "r4", "r5"]);
  });

  it("keeps what was added last, however large", () => {
    const { store, put } = scene();
    const [other] = OTHERS as [ResultOwner];
    put(other, 300);
    put(ONE, 900);
    expect(store.ids(ONE)).toEqual(["r1"]);
    expect(store.ids(other)).toEqual([]);
  });

  it("removes everything of a client that is gone, or of a principal", () => {
    const { root, store, put } = scene();
    for (const owner of [ONE, ...OTHERS]) put(owner);
    const { file, keep } = store.reserve(ONE);
    store.end({ principal: "owner", client: "a" });
    expect(store.ids(ONE)).toEqual([]);
    expect(readdirSync(root)).toHaveLength(3);
    store.end({ principal: "owner" });
    expect(readdirSync(root)).toHaveLength(2);
    // A result that arrives later is not kept.
    keep(10, false);
    expect(existsSync(file)).toBe(false);
    store.close();
    expect(existsSync(root)).toBe(false);
  });

  it("removes what killed processes have left when it is first used, and nothing else", () => {
    const { root, put } = scene();
    const suffix = "0123456789abcdef";
    const left = [`4194304999-1-${suffix}`, `${process.pid}-1-${suffix}`];
    const kept = [`${process.ppid}-1-${suffix}`, "notes", `1-${suffix}`];
    for (const name of [...left, ...kept]) mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, left[0] as string, "r1"), "private");
    put(ONE);
    const names = readdirSync(root);
    for (const name of left) expect(names).not.toContain(name);
    for (const name of kept) expect(names).toContain(name);
  });
});
