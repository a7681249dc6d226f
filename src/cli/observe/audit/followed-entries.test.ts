import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/new-folder.ts";
import { FollowedEntries } from "./followed-entries.ts";

let folder: string;
beforeEach(() => {
  folder = newFolder("followed");
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = (day: number, pid: number, part = 0): string =>
  join(folder, `2026-01-0${day}_${pid}-00000000_000${part}.jsonl`);

const line = (second: number, tool: string): string =>
  `${JSON.stringify({ seq: 1, time: `2026-01-03T00:00:${second}Z`, tool })}\n`;

function follow(): { readonly first: string[]; next(): string[] } {
  const entries = new FollowedEntries(folder, ({ fields }) => fields["tool"] !== "hidden");
  const toolsOf = (found: ReturnType<FollowedEntries["next"]>): string[] =>
    found.map(({ fields }) => String(fields["tool"]));
  return { first: toolsOf(entries.first(2)), next: () => toolsOf(entries.next()) };
}

describe("the entries that are followed", () => {
  it("begin with the last ones of all days", () => {
    writeFileSync(file(1, 100), line(10, "first"));
    writeFileSync(file(2, 100), line(20, "second"));
    writeFileSync(file(3, 100), line(31, "last") + line(32, "hidden"));
    expect(follow().first).toEqual(["second", "last"]);
  });

  it("include those of new files, wherever they come among many others", () => {
    for (let pid = 1000; pid < 1250; pid++) writeFileSync(file(3, pid), line(10, "old"));
    const { next } = follow();
    expect(next()).toEqual([]);
    appendFileSync(file(3, 1000), line(21, "grown"));
    writeFileSync(file(3, 100), line(20, "new process"));
    writeFileSync(file(3, 1249, 1), line(22, "next part"));
    writeFileSync(file(4, 100), line(23, "next day"));
    expect(next()).toEqual(["new process", "grown", "next part", "next day"]);
    expect(next()).toEqual([]);
  });
});
