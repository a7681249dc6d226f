import type { ServerResponse as HttpResponse } from "node:http";
import { describe, expect, it } from "vitest";

import { UiStream } from "./ui-stream.ts";

function response(): {
  response: HttpResponse;
  written: string[];
  unread: (bytes: number) => void;
} {
  const written: string[] = [];
  const fake = {
    writableLength: 0,
    writableEnded: false,
    destroyed: false,
    writeHead: () => {},
    flushHeaders: () => {},
    once: () => {},
    write: (text: string) => written.push(text),
    end: () => void (fake.writableEnded = true),
  };
  return {
    response: fake as unknown as HttpResponse,
    written,
    unread: (bytes) => void (fake.writableLength = bytes),
  };
}

const event = { type: "changed", topics: ["tools"] } as const;
const textOf = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

describe("the event stream of a page", () => {
  it("leaves out events while the browser does not read, and says so afterwards", () => {
    const { response: slow, written, unread } = response();
    const stream = new UiStream(slow);
    stream.send(event);
    unread(1024 * 1024);
    stream.send(event);
    stream.send(event);
    unread(0);
    stream.send(event);
    expect(written).toEqual([event, { type: "lost", events: 2 }, event].map(textOf));
  });

  it("says with the next keep-alive that events were lost", () => {
    const { response: slow, written, unread } = response();
    const stream = new UiStream(slow);
    unread(1024 * 1024);
    stream.send(event);
    stream.ping();
    expect(written).toEqual([]);
    unread(0);
    stream.ping();
    stream.ping();
    expect(written[0]).toBe(textOf({ type: "lost", events: 1 }));
    expect(written.at(-1)).toBe(":\n\n");
  });

  it("sends texts of servers on one line, and nothing after its end", () => {
    const { response: open, written } = response();
    const stream = new UiStream(open);
    const lines = [{ time: null, level: null, text: "a\n\ndata: b\r\u2028" }];
    stream.send({ type: "log", lines });
    stream.end({ type: "bye", reason: "shutdown" });
    stream.send(event);
    expect(written).toHaveLength(2);
    expect(written[0]?.trimEnd()).not.toMatch(/[\n\r]/);
  });
});
