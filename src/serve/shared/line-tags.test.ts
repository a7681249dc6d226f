import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";

import { Outbox } from "../../wire/lines.ts";
import { readTag, tagLine } from "./line-tags.ts";

/** What is written to a stream for a message. */
async function written(write: (out: Outbox) => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  write(new Outbox(stream));
  await new Promise((resolve) => setImmediate(resolve));
  return Buffer.concat(chunks);
}

describe("the tag of a line", () => {
  it.each([
    ["7", "answer"],
    ['"é\\t-?!"', "answer"],
    ["null", "answer"],
  ])("names the request that is answered: %s", async (idText, kind) => {
    const message = `{"jsonrpc":"2.0","id":${idText},"result":{}}`;
    const line = await written((out) => {
      tagLine(out, idText);
      out.line(message);
    });
    const tag = readTag(line);
    expect(tag).toMatchObject({ kind, idText });
    expect(line.toString("utf8", tag?.bytes)).toBe(`${message}\n`);
  });

  it.each([
    ['{"method":"a","id":"workbench-1"}', { kind: "question", idText: '"workbench-1"' }],
    ['{"id":3,"method":"a"}', { kind: "question", idText: "3" }],
    ['{"method":"a","params":{"id":1}}', { kind: "notification" }],
  ])("distinguishes a request from a notification: %s", async (message, expected) => {
    const line = await written((out) => {
      tagLine(out, undefined, message);
      out.line(message);
    });
    const tag = readTag(line);
    expect(tag).toMatchObject(expected);
    expect(line.toString("utf8", tag?.bytes)).toBe(`${message}\n`);
  });

  it("is the first character of a control message, and missing in anything else", () => {
    expect(readTag(Buffer.from('!{"event":"stop"}'))).toEqual({ kind: "control", bytes: 1 });
    expect(readTag(Buffer.from("{}"))).toBeUndefined();
  });
});
