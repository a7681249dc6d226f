import { describe, expect, it } from "vitest";

import { addedLines, logFilter } from "./log-filter.ts";

const TEXT = '2026-01-01T00:00:00.000Z INFO  connected toolbox="dev" server="files" pid=12';
const JSON_LINE = JSON.stringify({ level: "info", toolbox: "dev", server: "files" });
const MESSAGE =
  "2026-01-01T00:00:00.000Z WARN  Failed to connect to server 'files' in toolbox 'dev': no";

describe("the filter of the log", () => {
  it.each([
    ["dev/files", true],
    ["files", true],
    ["dev", true],
    ["dev/", true],
    ["dev/other", false],
    ["prod/files", false],
    ["file", false],
  ])("for %s shows lines about dev/files: %s", (wanted, expected) => {
    const filter = logFilter(wanted);
    expect([TEXT, JSON_LINE, MESSAGE].map(filter.shows)).toEqual([expected, expected, expected]);
    expect(filter.matches({ toolbox: "dev", server: "files" })).toBe(expected);
  });

  it("hides lines that are about no server, unless there is none", () => {
    const line = "2026-01-01T00:00:00.000Z INFO  configuration applied";
    expect(logFilter("files").shows(line)).toBe(false);
    expect(logFilter(undefined).shows(line)).toBe(true);
    expect(logFilter("files").shows("{ not JSON")).toBe(false);
  });
});

describe("the lines added to the end of an output", () => {
  it.each([
    [[], ["a"], ["a"]],
    [["a", "b"], ["a", "b"], []],
    [["a", "b"], ["a", "b", "c"], ["c"]],
    [["a", "b", "c"], ["b", "c", "d"], ["d"]],
    [["a", "a"], ["a", "a", "a"], ["a"]],
    [["a"], ["x", "y"], ["x", "y"]],
  ])("from %j to %j are %j", (before, after, expected) => {
    expect(addedLines(before, after)).toEqual(expected);
  });
});
