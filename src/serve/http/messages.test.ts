import { describe, expect, it } from "vitest";
import { isWorkbenchError } from "../../errors.ts";
import { type Received, idTextOf, messagesIn, messagesProblem } from "./messages.ts";

const read = (text: string): readonly Received[] => {
  const messages = messagesIn({ text, message: JSON.parse(text) });
  if (isWorkbenchError(messages)) throw messages;
  return messages;
};
const refusal = (text: string, version = "2025-03-26", awaited: readonly string[] = []) =>
  messagesProblem(read(text), text.startsWith("["), version, (id) => awaited.includes(id))?.message;

const ping = (id: unknown): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"ping"}`;
const NOTE = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

describe("messagesIn", () => {
  it("returns one message with its text as it is", () => {
    const text = ` ${ping(1)} `;
    expect(read(text)).toMatchObject([{ incoming: { kind: "request" }, text }]);
  });

  it("returns every message of a batch with its own text", () => {
    const big = '{"jsonrpc":"2.0", "id":"a","method":"ping","params":{"n":1.0}}';
    const messages = read(`[ ${ping(1)} ,\n${big},${NOTE}]`);
    expect(messages.map(({ text }) => text)).toEqual([ping(1), big, NOTE]);
    expect(messages.map(({ incoming }) => incoming.kind)).toEqual([
      "request",
      "request",
      "notification",
    ]);
  });

  it("rejects an empty batch and one of more than a hundred messages", () => {
    expect(() => read("[]")).toThrow(/1 to 100/);
    expect(() => read(`[${Array.from({ length: 101 }, (_, i) => ping(i)).join(",")}]`)).toThrow(
      /1 to 100/,
    );
    expect(read(`[${Array.from({ length: 100 }, (_, i) => ping(i)).join(",")}]`)).toHaveLength(100);
  });
});

describe("the message check of a session", () => {
  it("accepts requests with distinct ids", () => {
    expect(refusal(ping(1))).toBeUndefined();
    expect(refusal(`[${ping(1)},${ping("1")},${NOTE}]`)).toBeUndefined();
  });

  it("accepts batches only in the protocol version that has them", () => {
    expect(refusal(`[${ping(1)}]`, "2025-11-25")).toMatch(/2025-03-26/);
    expect(refusal(`[${ping(1)}]`, "2024-11-05")).toMatch(/in its own POST/);
  });

  it.each([
    ["an id that is still in use", ping(1)],
    ["an id that is used twice", `[${ping(2)},${ping(2)}]`],
  ])("rejects %s", (_what, text) => {
    expect(refusal(text, "2025-03-26", ["1"])).toMatch(/still in use/);
  });

  it.each([
    [
      "initialize in a batch",
      `[${ping(1).replace("ping", "initialize")}]`,
      /must not be part of a batch/,
    ],
    ["a batch with something that is not a message", "[1]", /JSON object/],
    ["a number", "1", /JSON object/],
    ["a message with neither method nor result", '{"id":1}', /neither a method nor a result/],
  ])("rejects %s", (_what, text, reason) => {
    expect(refusal(text)).toMatch(reason);
  });
});

describe("the id of an error response", () => {
  it.each([
    [ping(7), "7"],
    [ping("x"), '"x"'],
    ['{"id":3}', "3"],
    [NOTE, "null"],
    [`[${ping(1)},${ping(2)}]`, "null"],
  ])("to %s is %s", (text, idText) => {
    expect(idTextOf(read(text))).toBe(idText);
  });
});
