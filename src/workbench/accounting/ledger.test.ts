import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
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

const DAY = new Date("2026-11-17T10:11:12Z");
const LATER = new Date("2026-11-18T10:11:12Z");

const entry = (
  client: string,
  toolbox: string | null,
  counts: Partial<LedgerEntry> = {},
): LedgerEntry => ({
  kind: "client",
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
    expect(readLedger(file)).toEqual({
      since: undefined,
      entries: [],
      damagedFile: undefined,
    });
  });

  it("adds up what several writers count at the same time, and keeps its first day", async () => {
    await addToLedger([entry("a", "dev", { start: 1 })], DAY, file);
    await Promise.all(
      Array.from({ length: 5 }, () =>
        addToLedger(
          [entry("a", "dev", { start: 10, scripts: -1 }), entry("a", null, { discovery: 2 })],
          LATER,
          file,
        ),
      ),
    );
    expect(readLedger(file)).toEqual({
      since: "2026-11-17",
      damagedFile: undefined,
      entries: [entry("a", "dev", { start: 51, scripts: -5 }), entry("a", null, { discovery: 10 })],
    });
  });

  it("is private to its owner", async () => {
    await addToLedger([entry("a", "dev")], DAY, file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "state")).mode & 0o777).toBe(0o700);
  });

  it.each([
    "",
    "{",
    "[]",
    '{"entries":3}',
    '{"since":"2026-11-17","entries":[{"client":1}]}',
    '{"since":"2026-11-17","entries":[{"kind":"client","client":"a","toolbox":null,"start":"x"}]}',
  ])("says that a file is damaged, and keeps it beside a new one: %j", async (damage) => {
    await addToLedger([entry("a", "dev", { start: 1 })], DAY, file);
    writeFileSync(file, damage);
    expect(() => readLedger(file)).toThrow(/^Cannot read .*token-ledger\.json: it is damaged/);
    expect(readFileSync(file, "utf8")).toBe(damage);
    const moved = await addToLedger([entry("b", null, { start: 2 })], LATER, file);
    expect(moved).toBe(join(folder, "state", "token-ledger.damaged-2026-11-18T10-11-12-000Z.json"));
    expect(readFileSync(moved ?? "", "utf8")).toBe(damage);
    await expect(addToLedger([entry("b", null, { start: 3 })], LATER, file)).resolves.toBe(
      undefined,
    );
    expect(readLedger(file)).toEqual({
      since: "2026-11-18",
      entries: [entry("b", null, { start: 5 })],
      damagedFile: moved,
    });
  });

  it.each(["folder", "pipe"])("says that it cannot use a %s in its place", async (kind) => {
    await addToLedger([entry("a", "dev")], DAY, file);
    rmSync(file);
    if (kind === "folder") mkdirSync(file);
    else execFileSync("mkfifo", [file]);
    const unusable = {
      code: "FILE_INVALID",
      message: expect.stringContaining("not a regular file"),
    };
    expect(() => readLedger(file)).toThrow(expect.objectContaining(unusable));
    await expect(addToLedger([entry("a", "dev")], DAY, file)).rejects.toMatchObject(unusable);
    expect(readdirSync(join(folder, "state"))).toEqual(["token-ledger.json"]);
  });

  it("counts a client and an access token of the same name apart", () => {
    const both = [
      entry("ci", "dev", { start: 1 }),
      entry("ci", "dev", { kind: "token", start: 2 }),
    ];
    expect(sumOf(both)).toEqual(both);
  });

  it("counts clients together when there are too many", () => {
    const many = Array.from({ length: 700 }, (_, i) => entry(`c${i}`, "dev", { start: 1 }));
    const sums = sumOf([entry("others", null, { start: 1 }), ...many]);
    expect(sums).toHaveLength(501);
    expect(sums[0]).toEqual(entry("others", null, { start: 1 }));
    expect(sums.at(-1)).toEqual(entry("others", null, { kind: "others", start: 201 }));
    expect(sumOf([...sums, ...many]).reduce((sum, { start }) => sum + start, 0)).toBe(1401);
  });
});
