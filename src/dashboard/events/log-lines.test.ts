import { describe, expect, it } from "vitest";

import { LogLines, parseLogLine } from "./log-lines.ts";

describe("a line of the log", () => {
  it("is read in the text format", () => {
    expect(parseLogLine('2026-01-02T03:04:05.678Z WARN  it failed server="x"')).toEqual({
      time: "2026-01-02T03:04:05.678Z",
      level: "warn",
      text: 'it failed server="x"',
    });
  });

  it("is read in the JSON format", () => {
    const line = '{"time":"2026-01-02T03:04:05.678Z","level":"error","message":"no","server":"x"}';
    expect(parseLogLine(line)).toEqual({
      time: "2026-01-02T03:04:05.678Z",
      level: "error",
      text: 'no server="x"',
    });
  });

  it("stays as it is in any other format", () => {
    expect(parseLogLine("{no")).toEqual({ time: null, level: null, text: "{no" });
  });
});

describe("the last lines of the log", () => {
  it("are bounded", () => {
    const lines = new LogLines();
    for (let i = 0; i < 10_000; i++) lines.add(`line ${i}\n`);
    expect(lines.all.length).toBeLessThanOrEqual(4000);
    expect(lines.all.at(-1)).toBe("line 9999");
  });
});
