import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { EventStreamReader } from "./event-stream.ts";

interface Seen {
  events: [type: string, data: string][];
  oversized: [head: string, bytes: number][];
  lastEventId: string | undefined;
  retryMs: number | undefined;
}

function read(chunks: Iterable<string | Buffer>, limit = 1000): Seen {
  const seen: Seen = { events: [], oversized: [], lastEventId: undefined, retryMs: undefined };
  const reader = new EventStreamReader(limit, {
    event: (type, data) => seen.events.push([type, data.text]),
    oversized: (head, bytes) => seen.oversized.push([head.toString(), bytes]),
  });
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  seen.lastEventId = reader.lastEventId;
  seen.retryMs = reader.retryMs;
  return seen;
}

const eventsOf = (...chunks: string[]): [string, string][] => read(chunks).events;

describe("EventStreamReader", () => {
  it("reads an event with its type, id and retry delay", () => {
    const seen = read(['event: note\nid: 7\nretry: 250\ndata: {"a":1}\n\n']);
    expect(seen).toEqual({
      events: [["note", '{"a":1}']],
      oversized: [],
      lastEventId: "7",
      retryMs: 250,
    });
  });

  it("calls an event without a type 'message', and does not carry a type over", () => {
    expect(eventsOf("event: a\ndata: 1\n\ndata: 2\n\n")).toEqual([
      ["a", "1"],
      ["message", "2"],
    ]);
  });

  it.each(["\n", "\r", "\r\n"])("accepts %j as the end of a line", (eol) => {
    expect(eventsOf(["data: 1", "", ": a comment", "data: 2", "", ""].join(eol))).toEqual([
      ["message", "1"],
      ["message", "2"],
    ]);
  });

  it("ignores a byte order mark at the start of the stream, and only there", () => {
    const stream = Buffer.from("\ufeffdata: 1\n\n\ufeffdata: 2\n\ndata: 3\n\n");
    const expected = [
      ["message", "1"],
      ["message", "3"],
    ];
    expect(read([stream]).events).toEqual(expected);
    expect(read(Array.from(stream, (byte) => Buffer.from([byte]))).events).toEqual(expected);
  });

  it("can stop after a line and continue with the rest of the chunk", () => {
    const events: string[] = [];
    const reader = new EventStreamReader(100, {
      event: (_type, data) => void events.push(data.text),
      oversized: () => {},
    });
    let rest = Buffer.from("data: 1\r\n\r\ndata: 2\n\ndata: 3\r\rdata: 4");
    let pushes = 0;
    for (; rest.length > 0 && pushes < 20; pushes++)
      rest = rest.subarray(reader.push(rest, () => false));
    reader.push(Buffer.from("\n\n"));
    expect(events).toEqual(["1", "2", "3", "4"]);
    expect(pushes).toBe(7);
  });

  it("joins several data lines into one line", () => {
    expect(eventsOf('data: {"a":\ndata:1\ndata:  }\n\n')).toEqual([["message", '{"a": 1  }']]);
  });

  it("removes one space after the colon and no more", () => {
    expect(eventsOf("data:x\n\ndata:  x\n\n")).toEqual([
      ["message", "x"],
      ["message", " x"],
    ]);
  });

  it("ignores comments, unknown fields and events without data", () => {
    expect(eventsOf(":\n: hello\nfoo: bar\ndatax: 1\n\ndata\n\ndata:\n\ndata: 1\n\n")).toEqual([
      ["message", "1"],
    ]);
  });

  it("remembers the id of an event without data, which servers send to prime a stream", () => {
    expect(read(["id: first\nretry: 500\ndata: \n\n"])).toEqual({
      events: [],
      oversized: [],
      lastEventId: "first",
      retryMs: 500,
    });
  });

  it("ignores an unfinished event and its id", () => {
    const seen = read(["id: 1\ndata: 1\n\nid: 2\ndata: 2\n"]);
    expect(seen.events).toEqual([["message", "1"]]);
    expect(seen.lastEventId).toBe("1");
  });

  it("forgets the last event id when the server clears it", () => {
    expect(read(["id: 1\ndata: 1\n\nid\ndata: 2\n\n"]).lastEventId).toBeUndefined();
  });

  it("ignores an id that no header can contain, and a delay that is not a number", () => {
    const seen = read(["id: a\u0001b\nretry: soon\ndata: 1\n\n"]);
    expect(seen.lastEventId).toBeUndefined();
    expect(seen.retryMs).toBeUndefined();
  });

  it("drops an event above the size limit, reports it, and continues", () => {
    const seen = read([`id: 9\ndata: ${"x".repeat(30)}\n\n`, "data: 1\n\n"], 20);
    expect(seen.oversized).toEqual([["x".repeat(30), 30]]);
    expect(seen.events).toEqual([["message", "1"]]);
    expect(seen.lastEventId).toBe("9");
  });

  it("counts all data lines of an event towards the size limit", () => {
    const seen = read([`data: ${"a".repeat(15)}\ndata: ${"b".repeat(15)}\n\n`], 20);
    expect(seen.oversized).toEqual([[`${"a".repeat(15)} ${"b".repeat(15)}`, 31]]);
  });

  it("keeps nothing of a line that never ends", () => {
    const chunk = "x".repeat(1000);
    const seen = read(["data: ", ...Array.from({ length: 100 }, () => chunk), "\n\n"], 2000);
    expect(seen.oversized).toEqual([["x".repeat(256), 3006]]);
  });

  it.each(["data: ", ": ", "other: "])(
    "reports a line that never ends (%j) as soon as it exceeds the limit",
    (start) => {
      const seen = read(["data: 1\n\nid: 5\n", start, "x".repeat(1100)]);
      expect(seen.events).toEqual([["message", "1"]]);
      expect(seen.oversized.length).toBe(1);
      expect(seen.lastEventId).toBe("5");
    },
  );

  it("reports an event with endless data lines once, as soon as it exceeds the limit", () => {
    const line = `data: ${"x".repeat(90)}\n`;
    const seen = read(Array.from({ length: 30 }, () => line));
    expect(seen.oversized).toEqual([
      [`${"x".repeat(90)} ${"x".repeat(90)} ${"x".repeat(74)}`, 1091],
    ]);
    expect(seen.events).toEqual([]);
  });

  it("continues after an event above the size limit, whatever else the event contains", () => {
    const large = `data: a\n: ${"x".repeat(5000)}\ndata: b\nid: 3\n\n`;
    const seen = read([large, "data: 1\n\n"]);
    expect(seen.oversized.map(([head]) => head)).toEqual(["a"]);
    expect(seen.events).toEqual([["message", "1"]]);
    expect(seen.lastEventId).toBe("3");
  });

  it("reads the same events however the bytes are split", () => {
    const line = fc.oneof(
      fc.constantFrom("", "data: é€😀", "data", "id: 3", "retry: 5", ": c", "event: e", "data:x"),
      fc.string({ maxLength: 12 }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, "")}`),
    );
    const stream = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r", "\r\n")), { maxLength: 30 });
    fc.assert(
      fc.property(stream, fc.array(fc.nat(40), { maxLength: 40 }), (lines, cuts) => {
        const bytes = Buffer.from(lines.map(([text, eol]) => text + eol).join(""));
        const chunks: Buffer[] = [];
        let rest = bytes;
        for (const cut of cuts) {
          chunks.push(rest.subarray(0, cut));
          rest = rest.subarray(cut);
        }
        expect(read([...chunks, rest])).toEqual(read([bytes]));
        const single = Array.from(bytes, (byte) => Buffer.of(byte));
        expect(read(single)).toEqual(read([bytes]));
      }),
    );
  });

  it("assembles a message that arrives byte by byte", () => {
    const text = "x".repeat(200_000);
    const bytes = Buffer.from(`data: ${text}\n\n`);
    const events = read(
      Array.from(bytes, (byte) => Buffer.of(byte)),
      300_000,
    ).events;
    expect(events[0]?.[1] === text).toBe(true);
  });
});
