import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type LedgerEntry, addToLedger, readLedger, sumOf } from "./ledger.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mcp-workbench-ledger-"));
  file = join(folder, "state", "token-ledger.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const entry = (client: string, toolbox: string | null, counts: Partial<LedgerEntry> = {}) => ({
  start: 0,
  search: 0,
  results: 0,
  scripts: 0,
  discovery: 0,
  ...counts,
  client,
  toolbox,
});

describe("the token ledger", () => {
  it("is empty without a file", () => {
    expect(readLedger(file)).toEqual({ since: undefined, entries: [] });
  });

  it("adds up what several writers count at the same time, and keeps its first day", async () => {
    await addToLedger([entry("a", "dev", { start: 1 })], "2026-11-17", file);
    await Promise.all(
      Array.from({ length: 5 }, () =>
        addToLedger(
          [entry("a", "dev", { start: 10, scripts: -1 }), entry("a", null, { discovery: 2 })],
          "2026-11-18",
          file,
        ),
      ),
    );
    expect(readLedger(file)).toEqual({
      since: "2026-11-17",
      entries: [entry("a", "dev", { start: 51, scripts: -5 }), entry("a", null, { discovery: 10 })],
    });
  });

  it("is private to its owner", async () => {
    await addToLedger([entry("a", "dev")], "2026-11-17", file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "state")).mode & 0o777).toBe(0o700);
  });

  it.each(["", "{", "[]", '{"entries":3}', '{"entries":[{"client":1}]}'])(
    "begins again if the file is damaged: %j",
    async (damage) => {
      await addToLedger([entry("a", "dev", { start: 1 })], "2026-11-17", file);
      writeFileSync(file, damage);
      expect(readLedger(file).entries).toEqual([]);
      await addToLedger([entry("b", null, { start: 2 })], "2026-11-18", file);
      expect(readLedger(file).entries).toEqual([entry("b", null, { start: 2 })]);
    },
  );

  it("ignores numbers that are none", async () => {
    await addToLedger([entry("a", "dev")], "2026-11-17", file);
    const damaged = readFileSync(file, "utf8").replace('"start": 0', '"start": "x"');
    writeFileSync(file, damaged);
    expect(readLedger(file).entries).toEqual([entry("a", "dev")]);
  });

  it("counts clients together when there are too many", () => {
    const many = Array.from({ length: 700 }, (_, i) => entry(`c${i}`, "dev", { start: 1 }));
    const sums = sumOf(many);
    expect(sums).toHaveLength(501);
    expect(sums.at(-1)).toEqual(entry("other", null, { start: 200 }));
    expect(sumOf([...sums, ...many]).reduce((sum, { start }) => sum + start, 0)).toBe(1400);
  });
});
