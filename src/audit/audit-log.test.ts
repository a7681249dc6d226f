import {
  appendFileSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { newFolder } from "../../test/support/new-folder.ts";
import { AuditLog, type AuditLogOptions } from "./audit-log.ts";
import { auditFiles } from "./file-names.ts";
import { entriesInOrder } from "./read-entries.ts";
import { verifyAudit } from "./verify.ts";

const DAY = 24 * 60 * 60 * 1000;
const NOON = Date.UTC(2026, 10, 17, 12);
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function auditFolder(): string {
  const folder = newFolder("audit-test");
  folders.push(folder);
  return join(folder, "audit");
}

interface Scene {
  readonly folder: string;
  readonly clock: { now: number };
  readonly problems: string[];
  readonly log: AuditLog;
}

function scene(options: Partial<AuditLogOptions> = {}): Scene {
  const folder = options.folder ?? auditFolder();
  const clock = { now: NOON };
  const problems: string[] = [];
  const log = new AuditLog({
    folder,
    retainDays: () => 90,
    onProblem: (reason) => problems.push(reason),
    now: () => clock.now,
    ...options,
  });
  return { folder, clock, problems, log };
}

const entry = (n: number, time = NOON): string =>
  JSON.stringify({ time: new Date(time).toISOString(), event: "call", n });

const numbers = (folder: string): unknown[] =>
  Array.from(
    entriesInOrder(
      folder,
      () => true,
      () => {},
    ),
    ({ fields }) => fields["n"],
  ).filter((n) => n !== undefined);

const linesIn = (folder: string): string[] =>
  auditFiles(folder).flatMap(({ name }) =>
    readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1),
  );

const firstBreaks = (folder: string, now = NOON): (string | undefined)[] =>
  verifyAudit(folder, now).map(({ firstBreak }) => firstBreak?.reason);

describe("the audit log", () => {
  it("writes nothing before the first entry, and only for its owner", () => {
    const { folder, log } = scene();
    expect(auditFiles(folder)).toEqual([]);
    log.add(entry(1));
    log.flush();
    const [file] = auditFiles(folder);
    expect(file).toMatchObject({ day: "2026-11-17", run: log.run, part: 0 });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, file?.name ?? "")).mode & 0o777).toBe(0o600);
    expect(linesIn(folder).map((line) => JSON.parse(line) as object)).toMatchObject([
      { v: 1, run: log.run, seq: 1, prev: "0".repeat(64), event: "start", retainDays: 90 },
      { seq: 2, event: "call", n: 1 },
    ]);
    log.close();
  });

  it("writes entries together a moment after the first of them", async () => {
    const { folder, log } = scene();
    log.add(entry(1));
    log.add(entry(2));
    expect(auditFiles(folder)).toEqual([]);
    await expect.poll(() => numbers(folder), { timeout: 60_000 }).toEqual([1, 2]);
    log.close();
  });

  it("begins a file for each day and when one is full, and the chain continues", () => {
    const { folder, clock, log } = scene({ maxFileBytes: 600 });
    for (let n = 0; n < 10; n++) {
      log.add(entry(n, clock.now));
      log.flush();
      if (n === 4) clock.now += DAY;
    }
    log.close();
    const files = auditFiles(folder);
    expect(files.map(({ part }) => part)).toEqual(files.map((_, i) => i));
    expect(new Set(files.map(({ day }) => day))).toEqual(new Set(["2026-11-17", "2026-11-18"]));
    expect(files.length).toBeGreaterThan(3);
    expect(numbers(folder)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(firstBreaks(folder)).toEqual([undefined]);
  });

  it("continues its chain at midnight, with what was pending, beside other processes", () => {
    const folder = auditFolder();
    const clock = { now: Date.UTC(2026, 10, 17, 23, 59, 59, 980) };
    const logs = [1, 2, 3].map(() => scene({ folder, now: () => clock.now }).log);
    logs.forEach((log, i) => log.add(entry(i, clock.now)));
    logs[0]?.flush();
    clock.now += 30;
    logs.forEach((log, i) => log.add(entry(10 + i, clock.now)));
    for (const log of logs) log.close();
    // The first has a file of each day; the others had nothing to write before midnight.
    expect(auditFiles(folder).map(({ day }) => day)).toEqual([
      "2026-11-17",
      ...Array.from({ length: 3 }, () => "2026-11-18"),
    ]);
    expect(numbers(folder).toSorted()).toEqual([0, 1, 2, 10, 11, 12].toSorted());
    expect(firstBreaks(folder, clock.now)).toEqual([undefined, undefined, undefined]);
  });

  it("continues its chain when the clock goes backwards, also over midnight, and deletes nothing", () => {
    const { folder, clock, log } = scene();
    const steps = [0, -60_000, -DAY, DAY, -3 * DAY, 0, 2 * DAY, 0];
    steps.forEach((step, i) => {
      clock.now = NOON + step;
      log.add(entry(i, clock.now));
      log.flush();
    });
    log.close();
    expect(new Set(numbers(folder))).toEqual(new Set(steps.map((_, i) => i)));
    for (const now of [NOON - 3 * DAY, NOON, NOON + 2 * DAY])
      expect(firstBreaks(folder, now)).toEqual([undefined]);
    // All files of a run follow each other, whatever their days are.
    expect(verifyAudit(folder, NOON)[0]).toMatchObject({ files: 7, entries: 15 });
  });

  it("deletes files of all processes that are too old, and only those", () => {
    const { folder, clock, log } = scene({ retainDays: () => 7 });
    log.add(entry(1));
    log.flush();
    writeFileSync(join(folder, "2026-11-01_1-00000000_0000.jsonl"), "");
    writeFileSync(join(folder, "notes.txt"), "kept");
    for (let day = 1; day <= 10; day++) {
      clock.now += DAY;
      log.add(entry(day + 1, clock.now));
      log.flush();
    }
    log.close();
    expect(numbers(folder)).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
    expect(readdirSync(folder)).toContain("notes.txt");
    const [report] = verifyAudit(folder, clock.now);
    expect(report).toMatchObject({ isShortened: true, firstBreak: undefined });
    // The same files would have to be there if they were not old enough.
    expect(firstBreaks(folder, NOON)[0]).toMatch(/the file before this one, .*, is missing/);
  });

  it("continues in a new file if the current one is removed", () => {
    const { folder, clock, log } = scene();
    log.add(entry(1));
    log.flush();
    rmSync(join(folder, auditFiles(folder)[0]?.name ?? ""));
    clock.now += 1001;
    log.add(entry(2));
    log.flush();
    log.close();
    expect(numbers(folder)).toEqual([2]);
    expect(firstBreaks(folder)[0]).toMatch(/is missing/);
  });

  it("reports once that it cannot write, keeps entries, and writes them when it can", () => {
    const folder = auditFolder();
    writeFileSync(folder, "a file where the folder should be");
    const { log, problems } = scene({ folder });
    log.add(entry(1));
    expect(log.flush()).toMatch(/EEXIST|ENOTDIR/);
    log.add(entry(2));
    expect(log.flush()).toBeDefined();
    expect(problems).toHaveLength(1);
    rmSync(folder);
    expect(log.flush()).toBeUndefined();
    log.close();
    expect(numbers(folder)).toEqual([1, 2]);
    expect(firstBreaks(folder)).toEqual([undefined]);
  });

  it("keeps a limited number of entries while it cannot write, and records how many it lost", () => {
    const folder = auditFolder();
    writeFileSync(folder, "");
    const { log } = scene({ folder });
    const large = JSON.stringify({ event: "call", n: 0, text: "x".repeat(1024 * 1024) });
    for (let n = 0; n < 6; n++) log.add(large);
    rmSync(folder);
    log.flush();
    log.close();
    expect(numbers(folder)).toHaveLength(3);
    expect(linesIn(folder).at(-1)).toContain('"event":"lost","count":3}');
    expect(firstBreaks(folder)).toEqual([undefined]);
  });

  it("gives every process its own files, merged by time when read", () => {
    const folder = auditFolder();
    const logs = [1, 2, 3].map(() => scene({ folder }).log);
    for (let n = 0; n < 30; n++) {
      logs[n % 3]?.add(entry(n, NOON + n));
      logs[n % 3]?.flush();
    }
    for (const log of logs) log.close();
    expect(numbers(folder)).toEqual(Array.from({ length: 30 }, (_, n) => n));
    expect(firstBreaks(folder)).toEqual([undefined, undefined, undefined]);
  });
});

describe("verification of the audit log", () => {
  /** A log of several files, and what is in them. */
  function recorded(count: number, flushEvery: number): { folder: string; lines: string[] } {
    const { folder, clock, log } = scene({ maxFileBytes: 800 });
    for (let n = 0; n < count; n++) {
      log.add(entry(n, clock.now));
      if (n % flushEvery === 0) log.flush();
      if (n % 7 === 6) clock.now += DAY;
    }
    log.close();
    return { folder, lines: linesIn(folder) };
  }

  /** Replaces the lines of one file. */
  function rewrite(folder: string, index: number, change: (lines: string[]) => string[]): void {
    const file = join(folder, auditFiles(folder)[index]?.name ?? "");
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    writeFileSync(
      file,
      change(lines)
        .map((line) => `${line}\n`)
        .join(""),
    );
  }

  it("accepts everything that was written, however it was grouped", () => {
    fc.assert(
      fc.property(fc.nat({ max: 30 }), fc.integer({ min: 1, max: 10 }), (count, flushEvery) => {
        const { folder, lines } = recorded(count, flushEvery);
        const [report] = verifyAudit(folder, NOON);
        expect(report?.firstBreak).toBeUndefined();
        expect(report?.entries ?? 0).toBe(lines.length);
      }),
      { numRuns: 20 },
    );
  });

  it("finds any change except at the end of the last file", () => {
    const change = fc.constantFrom("edit", "remove", "repeat", "swap", "insert");
    fc.assert(
      fc.property(fc.nat(), fc.nat(), change, (fileAt, lineAt, how) => {
        const { folder } = recorded(25, 3);
        const count = auditFiles(folder).length;
        const index = fileAt % (count - 1);
        rewrite(folder, index, (lines) => {
          const at = lineAt % lines.length;
          const line = lines[at] ?? "";
          const next = lines[at + 1];
          if (how === "edit") return lines.with(at, line.replace(/"event":"\w/, '"event":"x'));
          if (how === "remove") return lines.toSpliced(at, 1);
          if (how === "repeat") return lines.toSpliced(at, 0, line);
          if (how === "swap" && next !== undefined) return lines.toSpliced(at, 2, next, line);
          return lines.toSpliced(at, 0, line.replace(/"seq":\d+/, '"seq":99'));
        });
        expect(firstBreaks(folder)[0]).toBeDefined();
      }),
      { numRuns: 40 },
    );
  });

  it.each<[string, (lines: string[]) => string[], number, RegExp]>([
    [
      "an edited line",
      (lines) => lines.with(1, lines[1]?.replace(":1}", ":9}") ?? ""),
      3,
      /entry 2 before it, was changed/,
    ],
    ["a removed line", (lines) => lines.toSpliced(1, 1), 2, /entry 3 follows entry 1/],
    ["text that is not JSON", (lines) => lines.with(2, "?"), 3, /not an entry/],
    [
      "an entry of another process",
      (lines) => lines.with(2, lines[2]?.replace(/"run":"[^"]+/, '"run":"1-00000000') ?? ""),
      3,
      /another process/,
    ],
  ])("names the line after %s", (_, change, line, reason) => {
    const { folder, log } = scene();
    for (let n = 1; n <= 4; n++) log.add(entry(n));
    log.flush();
    log.close();
    rewrite(folder, 0, change);
    const [report] = verifyAudit(folder, NOON);
    expect(report?.firstBreak).toMatchObject({
      line,
      reason: expect.stringMatching(reason) as string,
    });
  });

  it("finds a removed file and an incomplete line", () => {
    const { folder } = recorded(20, 1);
    const [, second] = auditFiles(folder);
    rmSync(join(folder, second?.name ?? ""));
    expect(firstBreaks(folder)[0]).toMatch(/is missing/);
    const { folder: other } = recorded(3, 1);
    appendFileSync(join(other, auditFiles(other).at(-1)?.name ?? ""), '{"v":1');
    expect(firstBreaks(other)[0]).toMatch(/^the line is incomplete: the process was killed/);
  });

  it("reports an unreadable folder instead of an empty one", () => {
    const folder = auditFolder();
    writeFileSync(folder, "");
    expect(() => verifyAudit(folder)).toThrow(/ENOTDIR/);
  });
});
