import { describe, expect, it } from "vitest";
import { Line } from "../wire/lines.ts";
import { readServerLine } from "../wire/response.ts";
import { challengeInResult } from "./result-challenge.ts";

function challengeOf(result: object): string | undefined {
  const message = readServerLine(Line.of(JSON.stringify({ jsonrpc: "2.0", id: 1, result })));
  if (message.kind !== "answer") throw new Error("not an answer");
  return challengeInResult(message.response);
}

const KEY = "mcp/www_authenticate";
const content = [{ type: "text", text: "no" }];

describe("the challenge in a result", () => {
  it.each([
    [["Bearer a=1", "Bearer b=2"], "Bearer a=1, Bearer b=2"],
    ["bearer", "bearer"],
    [["Basic x", "Bearer"], "Bearer"],
  ])("is found in %j", (value, expected) => {
    expect(challengeOf({ content, isError: true, _meta: { [KEY]: value } })).toBe(expected);
  });

  it.each([
    ["a result without one", { content, isError: true }],
    ["a tool that succeeded", { content, isError: false, _meta: { [KEY]: ["Bearer"] } }],
    ["a text that mentions it", { content: [{ type: "text", text: KEY }], isError: true }],
    ["other schemes", { content, isError: true, _meta: { [KEY]: ["Basic x"] } }],
    ["anything else", { content, isError: true, _meta: { [KEY]: { Bearer: 1 } } }],
  ])("is not found in %s", (_, result) => {
    expect(challengeOf(result)).toBeUndefined();
  });
});
