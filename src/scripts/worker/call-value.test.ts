import { describe, expect, it } from "vitest";

import { callValue } from "./call-value.ts";

function valueOf(result: unknown, raw = false): { kind: string; value: unknown; kept: string[] } {
  const kept: string[] = [];
  const keep = (block: string): string => `m${kept.push(block)}`;
  const text = typeof result === "string" ? result : JSON.stringify(result);
  const answer = callValue(`{"jsonrpc":"2.0","id":0,"result":${text}}`, keep, raw);
  const value: unknown = answer.kind === "text" ? answer.text : JSON.parse(answer.text);
  return { kind: answer.kind, value, kept };
}

const text = (value: string): object => ({ type: "text", text: value });
const IMAGE = { type: "image", mimeType: "image/png", data: "AAECAw==" };

describe("the value of a call in a script", () => {
  it("is the structured content if there is some", () => {
    const result = { content: [text("x")], structuredContent: { a: [1] } };
    expect(valueOf(result)).toMatchObject({ kind: "json", value: { a: [1] } });
  });

  it("keeps every digit of the structured content", () => {
    const answer = callValue('{"result":{"structuredContent":{"n":1.0e400}}}', () => "", false);
    expect(answer).toEqual({ kind: "json", text: '{"n":1.0e400}' });
  });

  it.each([[{ structuredContent: null }], [{}]])("is the only text otherwise (%j)", (more) => {
    expect(valueOf({ content: [text('{"a":1}')], ...more })).toMatchObject({
      kind: "text",
      value: '{"a":1}',
    });
  });

  it("is the list of blocks otherwise, with texts as strings and media as handles", () => {
    const link = { type: "resource_link", uri: "a://b", name: "b" };
    const embedded = { type: "resource", resource: { uri: "a://c", text: "c" } };
    const blob = { type: "resource", resource: { uri: "a://d", mimeType: "x/y", blob: "AAEC" } };
    const { value, kept } = valueOf({ content: [text("a"), IMAGE, link, embedded, blob] });
    expect(value).toEqual([
      "a",
      { $media: "m1", mimeType: "image/png", bytes: 4 },
      link,
      embedded,
      { $media: "m2", uri: "a://d", mimeType: "x/y", bytes: 3 },
    ]);
    expect(kept.map((block) => JSON.parse(block) as unknown)).toEqual([IMAGE, blob]);
  });

  it("keeps a media block byte for byte", () => {
    const block = '{ "data":"AAEC" ,"mimeType":"a\\/b", "type":"audio","x":1.0 }';
    expect(valueOf(`{"content":[${block},${block}]}`).kept).toEqual([block, block]);
  });

  it.each([
    ["no blocks", { content: [] }, []],
    ["no content", { other: 1 }, { other: 1 }],
    ["content that is not a list", { content: 7 }, []],
  ])("is what there is for a result with %s", (_what, result, value) => {
    expect(valueOf(result).value).toEqual(value);
  });

  it("is an error with all texts if the tool reports one", () => {
    const result = { isError: true, content: [text("a"), IMAGE, text("b")], structuredContent: {} };
    const {
      content: [a, , b],
    } = result;
    const handle = { $media: "m1", mimeType: "image/png", bytes: 4 };
    expect(valueOf(result)).toMatchObject({
      kind: "error",
      value: { message: "a\nb", text: "a\nb", result: { ...result, content: [a, handle, b] } },
    });
    expect(valueOf({ isError: true, content: [] }).value).toEqual({
      message: "The tool reported an error without a text",
      text: "",
      result: { isError: true, content: [] },
    });
  });

  it("is an error with its code and data for an error of the protocol", () => {
    const more = callValue('{"error":{"code":1,"message":"m","data":[1.0]}}', () => "", false);
    expect(more.text).toBe('{"message":"m","code":1,"data":[1.0]}');
    const answer = callValue('{"error":{"code":-32000,"message":"no"}}', () => "", false);
    expect(answer).toEqual({ kind: "error", text: '{"message":"no","code":-32000}' });
    const long = callValue(`{"error":{"message":"${"x".repeat(9000)}"}}`, () => "", true);
    expect((JSON.parse(long.text) as { message: string }).message).toHaveLength(4001);
  });

  it("is the whole result without its media if it is asked for", () => {
    const result = { content: [text("a"), IMAGE], isError: true, _meta: { a: 1 } };
    expect(valueOf(result, true).value).toEqual({
      ...result,
      content: [text("a"), { $media: "m1", mimeType: "image/png", bytes: 4 }],
    });
  });
});
