import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { cutAt, cuts } from "../../../../test/support/json-arbitraries.ts";
import { redactor } from "../../../secrets/redact.ts";
import { StderrTail, reasonLines, shownLines } from "./stderr-tail.ts";

function tailOf(...texts: string[]): StderrTail {
  const tail = new StderrTail();
  for (const text of texts) tail.push(Buffer.from(text));
  return tail;
}

describe("StderrTail", () => {
  it("is empty before anything was written", () => {
    expect(new StderrTail().lines(5)).toEqual([]);
    expect(tailOf("").lines(5)).toEqual([]);
  });

  it("returns the last lines, including an unfinished one", () => {
    expect(tailOf("one\ntwo\nthr", "ee\nfour").lines(3)).toEqual(["two", "three", "four"]);
  });

  it("returns the same lines however they are split into chunks", () => {
    const words = fc.array(fc.constantFrom("warning", "é€😀", "", "at line 7"), { maxLength: 8 });
    fc.assert(
      fc.property(words, cuts, (lines, places) => {
        const tail = new StderrTail();
        for (const chunk of cutAt(Buffer.from(lines.join("\n")), places)) tail.push(chunk);
        expect(tail.lines(4)).toEqual(lines.filter((line) => line !== "").slice(-4));
      }),
    );
  });

  it("leaves out empty lines, terminal codes and control characters", () => {
    const text =
      "\u001b[31mred\u001b[0m\r\n\r\n  \n\u0000a\u0007b\u009f\n\u001b]0;title\u0007end\n";
    expect(tailOf(text).lines(9)).toEqual(["red", "ab", "end"]);
  });

  it("returns the last state of a line that was rewritten", () => {
    const text = "Downloading 1 MB\rDownloading 2 MB\rfailed\r\n\r10 %\r20 %";
    expect(tailOf(text).lines(9)).toEqual(["failed", "20 %"]);
  });

  it("truncates long lines", () => {
    const lines = tailOf(`${"x".repeat(5000)}\n${"x".repeat(300)}`).lines(2);
    expect(shownLines(redactor([]), lines, 2)).toEqual([`${"x".repeat(300)}…`, "x".repeat(300)]);
  });

  it("keeps a secret at the end of what is shown whole, so that it is recognised", () => {
    const lines = tailOf(`${"x".repeat(295)}hunter2000 ${"y".repeat(5000)}`).lines(1);
    expect(shownLines(redactor(["hunter2000"]), lines, 1)).toEqual([`${"x".repeat(295)}[reda…`]);
  });

  it.each([1, 100, 10_000, 200_000])(
    "keeps the end of a flood that arrives in chunks of %i bytes",
    (size) => {
      const tail = new StderrTail();
      const flood = Buffer.from("0123456789".repeat(30_000));
      for (let at = 0; at < flood.length; at += size) tail.push(flood.subarray(at, at + size));
      tail.push(Buffer.from("\nlast"));
      const [before = "", last] = tail.lines(2);
      expect(last).toBe("last");
      expect(shownLines(redactor([]), [before], 1)[0]).toMatch(/^\d{300}…$/);
    },
  );

  it("keeps only a bounded part of a flood", () => {
    const tail = new StderrTail();
    for (let i = 0; i < 100_000; i++) tail.push(Buffer.from(`${i}\n`));
    const lines = tail.lines(1_000_000);
    expect(lines.length).toBeGreaterThan(1000);
    expect(lines.join("\n").length).toBeLessThanOrEqual(2 * 64 * 1024);
    expect(lines.at(-1)).toBe("99999");
  });
});

describe("the lines that explain a failure", () => {
  const reason = (text: string): string[] => reasonLines(redactor([]), text.split("\n"), 2);

  it("do not contain the stack trace below the message", () => {
    const frames = Array.from(
      { length: 12 },
      (_, at) => `    at async f${at} (node:internal:${at})`,
    );
    const crash = [
      "Starting",
      "file:///srv/index.js:5",
      '  throw new Error("API_TOKEN is required");',
      "        ^",
      "Error: API_TOKEN is required",
      ...frames,
      "    at node:internal/main:28:49 {",
      "  code: 'E_CONFIG',",
      "  requireStack: []",
      "}",
      "Node.js v20.20.2",
    ].join("\n");
    expect(reason(crash)).toEqual([
      '  throw new Error("API_TOKEN is required");',
      "Error: API_TOKEN is required",
    ]);
  });

  it("are the last lines of anything else", () => {
    expect(reason("one\n  key: value\n}")).toEqual(["  key: value", "}"]);
    expect(reason("  at x:1\n}")).toEqual(["  at x:1", "}"]);
  });
});
