import { describe, expect, it } from "vitest";

import { separateText } from "./stored-value.ts";

const LIMIT = { chars: 20 };
const LARGE = "This text has more than 20 characters";
const block = (text: string) => ({ type: "text", text });

function separated(result: object) {
  const text = JSON.stringify(result);
  const found = separateText(text, JSON.parse(text), LIMIT);
  return (
    found && {
      stored: found.text,
      value: found.value,
      left: JSON.parse(found.resultWith('"HINT"')),
    }
  );
}

describe("what is stored of a large result", () => {
  it("is its text, and everything else stays in the answer", () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" };
    const link = { type: "resource_link", uri: "x:1", name: "x" };
    const annotated = { ...block(LARGE), annotations: { audience: ["user"] } };
    const result = {
      _meta: { a: 1 },
      content: [image, block(LARGE), annotated, link],
      unknown: { b: 2 },
    };
    expect(separated(result)).toEqual({
      stored: LARGE,
      value: undefined,
      left: { ...result, content: ["HINT", image, annotated, link] },
    });
  });

  it("is the list of texts if there are several", () => {
    const { stored, value, left } = separated({ content: [block(LARGE), block("b")] }) ?? {};
    expect(JSON.parse(stored ?? "")).toEqual([LARGE, "b"]);
    expect(value).toEqual([LARGE, "b"]);
    expect(left).toEqual({ content: ["HINT"] });
  });

  it("has a value if it is JSON", () => {
    const json = '{"rows": [1.0, 2, 3], "more": "text"}';
    expect(separated({ content: [block(json)] })).toMatchObject({
      stored: json,
      value: { rows: [1, 2, 3], more: "text" },
    });
    const word = JSON.stringify(LARGE);
    expect(separated({ content: [block(word)] })).toMatchObject({ stored: word, value: undefined });
  });

  it.each([
    ["is the same", LARGE, { content: LARGE }, LARGE],
    [
      "has the same value",
      '{"a": [1, 2, 3, 4, 5, 6]}',
      { a: [1, 2, 3, 4, 5, 6] },
      '{"a": [1, 2, 3, 4, 5, 6]}',
    ],
  ])("is the text alone if the structured content %s", (_, text, structuredContent, stored) => {
    const found = separated({ content: [block(text)], structuredContent });
    expect(found).toMatchObject({ stored, left: { content: ["HINT"] } });
    expect(found?.left).not.toHaveProperty("structuredContent");
  });

  it("is both if the structured content has something else", () => {
    const structuredContent = { a: LARGE, b: 2 };
    const found = separated({ content: [block("Found 2")], structuredContent });
    expect(found?.value).toEqual({ structuredContent, content: ["Found 2"] });
    expect(JSON.parse(found?.stored ?? "")).toEqual(found?.value);
  });

  it("is the structured content if there is no text", () => {
    const found = separated({ structuredContent: { a: LARGE } });
    expect(found).toEqual({
      stored: JSON.stringify({ a: LARGE }),
      value: { a: LARGE },
      left: { content: ["HINT"] },
    });
  });

  it.each([
    ["a small one", { content: [block("short")] }],
    ["an error", { content: [block(LARGE)], isError: true }],
    ["media only", { content: [{ type: "image", data: LARGE, mimeType: "image/png" }] }],
    ["blocks with members of their own", { content: [{ ...block(LARGE), _meta: {} }] }],
    ["one that asks for input", { resultType: "input_required", content: [block(LARGE)] }],
    ["content that is not a list", { content: LARGE }],
    ["a list", []],
  ])("is nothing of %s", (_, result) => {
    expect(separated(result)).toBeUndefined();
  });
});
