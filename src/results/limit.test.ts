import { describe, expect, it } from "vitest";

import { Line } from "../wire/lines.ts";
import { readServerLine } from "../wire/response.ts";
import { exceeds, lineCount, mayExceed, minBytesOf } from "./limit.ts";

function response(text: string) {
  const content = [{ type: "text", text }];
  const read = readServerLine(
    Line.of(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content } })),
  );
  if (read.kind !== "answer") throw new Error("not an answer");
  return read.response;
}

describe("a limit of a client", () => {
  it("cannot be exceeded by a response with fewer bytes", () => {
    expect(minBytesOf({ chars: 25_000, lines: 1000 })).toBe(2000);
    expect(minBytesOf({ bytes: 10_000 })).toBe(10_000);
    expect(minBytesOf({})).toBe(Infinity);
  });

  it("is checked by size first, and by the lines of small responses", () => {
    expect(mayExceed({ chars: 5000 }, response("x".repeat(6000)))).toBe(true);
    expect(mayExceed({ chars: 5000 }, response("x".repeat(4000)))).toBe(false);
    expect(mayExceed({ chars: 50_000, lines: 1000 }, response("x\n".repeat(1000)))).toBe(true);
    expect(mayExceed({ chars: 50_000, lines: 1000 }, response("x\n".repeat(900)))).toBe(false);
    expect(mayExceed({ chars: 500_000, lines: 9000 }, response("x\n".repeat(9000)))).toBe(true);
  });

  it("counts characters, bytes and lines of all texts together", () => {
    expect(exceeds({ chars: 10 }, ["12345", "67890"])).toBe(false);
    expect(exceeds({ chars: 10 }, ["12345", "678901"])).toBe(true);
    expect(exceeds({ bytes: 10 }, ["äöüßé"])).toBe(false);
    expect(exceeds({ bytes: 10 }, ["äöüßéx"])).toBe(true);
    expect(exceeds({ lines: 3 }, ["a\nb", "c"])).toBe(false);
    expect(exceeds({ lines: 3 }, ["a\nb", "c\n"])).toBe(true);
    expect(lineCount("")).toBe(1);
  });
});
