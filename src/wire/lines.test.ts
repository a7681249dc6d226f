import * as fc from "fast-check";
import { anyCharacter } from "../../test/support/any-character.ts";
import { describe, expect, it } from "vitest";

import { cutAt, cuts } from "../../test/support/json-arbitraries.ts";
import { Line, LineReader } from "./lines.ts";

type Event = { line: string } | { oversized: string; bytes: number; tail: string };

/** What a reader says about these chunks. */
function read(chunks: readonly Buffer[], limit = 1_000_000): Event[] {
  const events: Event[] = [];
  const reader = new LineReader(limit, {
    line: (line) => void events.push({ line: bytesOf(line).toString("latin1") }),
    oversized: (head, bytes, tail) =>
      void events.push({
        oversized: head.toString("latin1"),
        bytes,
        tail: tail.toString("latin1"),
      }),
  });
  for (const chunk of chunks) reader.push(chunk);
  return events;
}

function bytesOf(line: Line): Buffer {
  const bytes = Buffer.concat(line.parts);
  expect(line.bytes).toBe(bytes.length);
  return bytes;
}

/** The same by splitting the whole text, which the reader never has in one piece. */
function expected(bytes: Buffer, limit = 1_000_000): Event[] {
  return bytes
    .toString("latin1")
    .split("\n")
    .slice(0, -1)
    .flatMap((line): Event[] => {
      if (line.length > limit)
        return [{ oversized: line.slice(0, 256), bytes: line.length, tail: line.slice(-128) }];
      const text = line.endsWith("\r") ? line.slice(0, -1) : line;
      return text === "" ? [] : [{ line: text }];
    });
}

/** Bytes in which line breaks are frequent. */
const streams = fc
  .array(
    fc.oneof(
      fc.constantFrom("\n", "\r\n", "\r", "\n\n", "{}", "é", "😀"),
      fc.string({ maxLength: 20 }),
      fc.nat(900).map((length) => "x".repeat(length)),
    ),
    { maxLength: 20 },
  )
  .map((parts) => Buffer.from(parts.join("")));

describe("LineReader", () => {
  it("returns an unfinished last line at the end of the input", () => {
    const lines: string[] = [];
    const reader = new LineReader(100, {
      line: (line) => void lines.push(line.text),
      oversized: (_head, bytes) => void lines.push(`${bytes} bytes`),
    });
    reader.push(Buffer.from("one\ntwo"));
    expect(lines).toEqual(["one"]);
    reader.end();
    reader.end();
    expect(lines).toEqual(["one", "two"]);
    reader.push(Buffer.alloc(200, "x"));
    reader.end();
    expect(lines).toEqual(["one", "two", "200 bytes"]);
  });

  it("returns the same lines however the bytes are split", () => {
    fc.assert(
      fc.property(streams, cuts, (bytes, places) => {
        expect(read(cutAt(bytes, places))).toEqual(expected(bytes));
      }),
      { numRuns: 500 },
    );
  });

  it("drops exactly the lines above the limit, and reports their beginning and end", () => {
    fc.assert(
      fc.property(streams, cuts, fc.integer({ min: 256, max: 800 }), (bytes, places, limit) => {
        expect(read(cutAt(bytes, places), limit)).toEqual(expected(bytes, limit));
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, string[]]>([
    ["a\nb\n", ["a", "b"]],
    ["a\r\nb\r\n", ["a", "b"]],
    ["\n\r\n\n", []],
    ["a\n\n\nb\n", ["a", "b"]],
    ["a\r\r\n", ["a\r"]],
    ["a\rb\n", ["a\rb"]],
    ["no end", []],
    ["", []],
  ])("reads %j as %j", (text, lines) => {
    const events = lines.map((line) => ({ line }));
    expect(read([Buffer.from(text)])).toEqual(events);
    expect(read(Array.from(Buffer.from(text), (byte) => Buffer.of(byte)))).toEqual(events);
  });

  it("can stop after a line and continue with the rest of the chunk", () => {
    const lines: string[] = [];
    const reader = new LineReader(100, {
      line: (line) => void lines.push(line.text),
      oversized: () => {},
    });
    let rest = Buffer.from("one\ntwo\r\n\nthree\nfo");
    reader.push(Buffer.from("and "));
    const seen: number[] = [];
    for (let i = 0; i < 20 && rest.length > 0; i++) {
      rest = rest.subarray(reader.push(rest, () => false));
      seen.push(lines.length);
    }
    reader.push(Buffer.from("ur\n"));
    expect(lines).toEqual(["and one", "two", "three", "four"]);
    expect(seen).toEqual([1, 2, 2, 3, 3]);
  });

  it("keeps chunks without copying them", () => {
    const large = Buffer.alloc(100_000, "x");
    const lines: Line[] = [];
    const reader = new LineReader(1_000_000, {
      line: (line) => void lines.push(line),
      oversized: () => {},
    });
    for (const chunk of [large, large, Buffer.from("\n")]) reader.push(chunk);
    expect(lines[0]?.parts).toEqual([large, large]);
    expect(lines[0]?.parts[0]).toBe(large);
  });

  it("holds few objects for a line that arrives byte by byte", () => {
    let parts = 0;
    const reader = new LineReader(1_000_000, {
      line: (line) => {
        parts = line.parts.length;
      },
      oversized: () => {},
    });
    const byte = Buffer.from("x");
    for (let i = 0; i < 200_000; i++) reader.push(byte);
    reader.push(Buffer.from("\n"));
    expect(parts).toBeGreaterThan(0);
    expect(parts).toBeLessThan(100);
  });

  it("searches each byte of a long line once", () => {
    // Counts what is searched for the end of the line: a reader that joined what it has with what
    // comes, and looked through it again, would look at half a million bytes here.
    const chunks = Array.from({ length: 100 }, () => new CountingChunk(100));
    let length = 0;
    const reader = new LineReader(1_000_000, {
      line: (line) => {
        length = line.bytes;
      },
      oversized: () => {},
    });
    for (const chunk of chunks) reader.push(chunk.buffer);
    reader.push(Buffer.from("\n"));
    expect(length).toBe(10_000);
    expect(chunks.reduce((sum, chunk) => sum + chunk.searched, 0)).toBe(10_000);
  });

  it("does not keep the memory of a line that it drops", () => {
    const heads: Buffer[] = [];
    const reader = new LineReader(10, {
      line: () => {},
      oversized: (head) => void heads.push(head),
    });
    reader.push(Buffer.alloc(1_000_000, "x"));
    reader.push(Buffer.from("\n"));
    expect(heads.map((head) => [head.length, head.buffer.byteLength < 100_000])).toEqual([
      [256, true],
    ]);
  });
});

/** A chunk that counts how many of its bytes are searched. */
class CountingChunk {
  readonly buffer: Buffer;
  searched = 0;

  constructor(size: number) {
    this.buffer = Buffer.alloc(size, "x");
    const search = this.buffer.indexOf.bind(this.buffer);
    this.buffer.indexOf = (value: Parameters<Buffer["indexOf"]>[0], from = 0) => {
      this.searched += size - Number(from);
      return search(value, Number(from));
    };
  }
}

describe("Line", () => {
  const lines = fc
    .tuple(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 60 }), cuts)
    .map(([text, places]) => {
      const bytes = Buffer.from(text);
      const parts = cutAt(bytes, places).filter((part) => part.length > 0);
      return { text, bytes, line: new Line(parts, bytes.length) };
    });

  it("has the same text, head and tail however it is split", () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 80 }), ({ text, bytes, line }, count) => {
        expect(line.text).toBe(text);
        expect(line.head(count)).toBe(bytes.toString("latin1").slice(0, count));
        expect(line.tail(count)).toBe(bytes.toString("latin1").slice(-count));
      }),
      { numRuns: 500 },
    );
  });

  it("finds a text however it is split", () => {
    const fewLetters = fc.string({ unit: fc.constantFrom("a", "b", '"'), maxLength: 40 });
    const wanted = fc.string({
      unit: fc.constantFrom("a", "b", '"'),
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(fewLetters, cuts, wanted, (text, places, part) => {
        const bytes = Buffer.from(text);
        const line = new Line(cutAt(bytes, places), bytes.length);
        expect(line.includes(part)).toBe(text.includes(part));
      }),
      { numRuns: 2000 },
    );
  });

  it("can be made from a string", () => {
    const line = Line.of("é");
    expect([line.text, line.bytes, line.head(9), line.tail(1)]).toEqual(["é", 2, "Ã©", "©"]);
    expect(Line.of("").text).toBe("");
  });
});
