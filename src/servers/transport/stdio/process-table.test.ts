import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parsePs, parseStat, processTable, type ProcessRow, straysOf } from "./process-table.ts";

describe("the process table", () => {
  // Windows has neither `/proc` nor `ps`.
  it.runIf(process.platform !== "win32")("contains this process and its parent", async () => {
    const table = await processTable();
    const own = table.find(({ pid }) => pid === process.pid);
    expect(own?.parent).toBe(process.ppid);
    expect(table.some(({ pid }) => pid === process.ppid)).toBe(true);
  });

  it("is read from /proc, even if a program's name contains parentheses", () => {
    const rest = Array.from({ length: 15 }, (_, i) => i).join(" ");
    expect(parseStat(7, `7 (a) b (c) S 1 5 5 ${rest} 4711 0 0\n`)).toEqual({
      pid: 7,
      parent: 1,
      group: 5,
      started: "4711",
    });
    expect(parseStat(7, `7 (gone) Z 1 5 5 ${rest} 4711 0 0\n`)).toBeUndefined();
    expect(parseStat(7, "")).toBeUndefined();
  });

  it("is read from the output of ps", () => {
    const output = [
      "    1     0     1 Ss   Mon Nov 16 01:02:03 2026",
      "  412     1   400 S+   Mon Nov 16 01:02:04 2026    ",
      "  413   412   400 Z    Mon Nov 16 01:02:05 2026",
      "",
    ].join("\n");
    expect(parsePs(output)).toEqual([
      { pid: 1, parent: 0, group: 1, started: "Mon Nov 16 01:02:03 2026" },
      { pid: 412, parent: 1, group: 400, started: "Mon Nov 16 01:02:04 2026" },
    ]);
    expect(parsePs("ps: unknown option\n")).toEqual([]);
  });
});

const row = (pid: number, parent: number, group: number, started = `${pid}`): ProcessRow => ({
  pid,
  parent,
  group,
  started,
});

describe("straysOf", () => {
  it("finds descendants in other process groups, at any depth, and no unrelated process", () => {
    const table = [
      row(1, 0, 1),
      row(10, 1, 10),
      row(11, 10, 10),
      // A browser, its helper, and what the helper started in a group of its own.
      row(20, 11, 20),
      row(21, 20, 20),
      row(30, 21, 30),
      // Not of the family: a neighbour with the same parent.
      row(40, 1, 40),
    ];
    expect(straysOf(table, 10).map(({ pid }) => pid)).toEqual([20, 21, 30]);
  });

  it("remembers descendants whose parent has exited, but not a later process with the same pid", () => {
    const known = [row(20, 10, 20, "early"), row(30, 10, 30, "early")];
    const table = [row(1, 0, 1), row(20, 1, 20, "early"), row(30, 1, 30, "late")];
    expect(straysOf(table, 10, known).map(({ pid }) => pid)).toEqual([20]);
  });

  it("finds the same processes in whatever order they are listed", () => {
    // Each process was started by an earlier one, in the group of that or in its own.
    const families = fc
      .array(fc.tuple(fc.nat(), fc.boolean()), { minLength: 1, maxLength: 30 })
      .map((births) => {
        const rows = [row(1, 0, 1)];
        for (const [by, own] of births) {
          const parent = rows[by % rows.length] as ProcessRow;
          const pid = rows.length + 1;
          rows.push(row(pid, parent.pid, own ? pid : parent.group));
        }
        return rows;
      });
    const shuffled = families.chain((rows) =>
      fc.tuple(
        fc.constant(rows),
        fc.shuffledSubarray(rows, { minLength: rows.length, maxLength: rows.length }),
      ),
    );
    const descends = (rows: readonly ProcessRow[], from: ProcessRow, group: number): boolean => {
      if (from.group === group) return true;
      const parent = rows.find(({ pid }) => pid === from.parent);
      return parent !== undefined && descends(rows, parent, group);
    };
    fc.assert(
      fc.property(shuffled, fc.nat(), ([rows, anyOrder], at) => {
        const { group } = rows[at % rows.length] as ProcessRow;
        const expected = rows.filter((one) => one.group !== group && descends(rows, one, group));
        const found = straysOf(anyOrder, group).map(({ pid }) => pid);
        expect(found.sort((a, b) => a - b)).toEqual(expected.map(({ pid }) => pid));
      }),
    );
  });
});
