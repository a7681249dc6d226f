import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jsonTexts, plainObjectWith } from "../../test/support/json-arbitraries.ts";
import { memberText } from "../../test/support/json-text.ts";
import { readPlainAnswer } from "./plain-messages.ts";

const { value, object, space } = jsonTexts();
const version = fc.constant('"2.0"');
const id = fc.nat().map(String);

describe("readPlainAnswer", () => {
  it("finds the id and the body of an answer, whatever the order of its members", () => {
    const answers = fc
      .boolean()
      .chain((isError) =>
        plainObjectWith(
          { jsonrpc: version, id, [isError ? "error" : "result"]: isError ? object : value },
          space,
        ).map((text) => ({ isError, text })),
      );
    fc.assert(
      fc.property(answers, ({ isError, text }) => {
        const found = readPlainAnswer(text);
        expect(found).toMatchObject({ isError, id: (JSON.parse(text) as { id: number }).id });
        const { start, end, body } = found as NonNullable<typeof found>;
        expect(text.slice(start, end)).toBe(memberText(text, "id"));
        const bodyText = memberText(text, isError ? "error" : "result") as string;
        expect(text.slice(body, body + bodyText.length)).toBe(bodyText);
      }),
    );
  });

  it.each([
    ["no id", '{"jsonrpc":"2.0","result":{}}'],
    ["two ids", '{"jsonrpc":"2.0","id":1,"result":{},"id":2}'],
    ["an id written with escapes beside it", '{"jsonrpc":"2.0","id":1,"result":{},"\\u0069d":2}'],
    ["an id that is a string", '{"jsonrpc":"2.0","id":"1","result":{}}'],
    ["an id that is no integer", '{"jsonrpc":"2.0","id":1.0,"result":{}}'],
    ["a result and an error", '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}'],
    ["no result", '{"jsonrpc":"2.0","id":1}'],
    ["an error that is no object", '{"jsonrpc":"2.0","id":1,"error":"no"}'],
    ["another member", '{"jsonrpc":"2.0","id":1,"result":{},"x":1}'],
    ["a method", '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
    ["another version", '{"jsonrpc":"1.0","id":1,"result":{}}'],
    ["no version", '{"id":1,"result":{}}'],
    ["a result that is not JSON", '{"jsonrpc":"2.0","id":1,"result":{x}}'],
    ["text after it", '{"jsonrpc":"2.0","id":1,"result":{}}x'],
    ["its end missing", '{"jsonrpc":"2.0","id":1,"result":{}'],
    ["a list in its place", "[]"],
    ["no content", ""],
  ])("leaves an answer with %s to the full parser", (_what, text) => {
    expect(readPlainAnswer(text)).toBeUndefined();
  });
});
