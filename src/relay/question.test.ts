import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jsonTexts, objectWith } from "../../test/support/json-arbitraries.ts";
import { memberText } from "../../test/support/json-text.ts";
import { classify } from "../wire/messages.ts";
import { Question } from "./question.ts";

const { value, object, space } = jsonTexts({ lineBreaks: false });

function questionIn(text: string): { question: Question; sent: string[] } {
  const incoming = classify(JSON.parse(text), text);
  if (incoming.kind !== "request") throw new Error("not a request");
  const sent: string[] = [];
  const from = { send: (message: string) => void sent.push(message) };
  return { question: new Question(incoming.request, from), sent };
}

const ROOTS = '{"jsonrpc":"2.0","id":"s-1","method":"roots/list"}';

describe("a question of a server", () => {
  it("reaches the client under another id, with everything else as the server wrote it", () => {
    const texts = fc.tuple(object, value).chain(([params, extra]) =>
      objectWith(
        {
          jsonrpc: fc.constant('"2.0"'),
          id: fc.constantFrom("7", '"x"', "9007199254740993"),
          method: fc.constant('"sampling/createMessage"'),
          params: fc.constant(params),
          extra: fc.constant(extra),
        },
        space,
      ).map((text) => ({ text, params, extra })),
    );
    fc.assert(
      fc.property(texts, ({ text, params, extra }) => {
        const asked = questionIn(text).question.withId('"w-1"');
        expect(memberText(asked, "params")).toBe(params);
        expect(memberText(asked, "extra")).toBe(extra);
        expect(memberText(asked, "id")).toBe('"w-1"');
      }),
    );
  });

  it("gets the client's response, result or error, byte for byte under its own id", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("result", "error"),
        object,
        fc.constantFrom("7", '"x"', "9007199254740993"),
        (kind, body, id) => {
          const { question, sent } = questionIn(`{"id":${id},"method":"roots/list"}`);
          question.answerWith(`{"jsonrpc":"2.0","${kind}":${body},"id":"w-1"}`);
          expect(sent.map((text) => memberText(text, kind))).toEqual([body]);
          expect(sent.map((text) => memberText(text, "id"))).toEqual([id]);
        },
      ),
    );
  });

  it("is answered once, whatever comes after", () => {
    const ways: ((question: Question) => void)[] = [
      (question) => question.answer('{"roots":[]}'),
      (question) => question.answerWith('{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}'),
      (question) => question.refuse({ code: -1, message: "no" }),
      (question) => question.refuseMethod(),
    ];
    for (const first of ways) {
      const { question, sent } = questionIn(ROOTS);
      first(question);
      for (const next of ways) next(question);
      expect(sent).toHaveLength(1);
      expect(JSON.parse(sent[0] ?? "")).toMatchObject({ jsonrpc: "2.0", id: "s-1" });
    }
  });

  it("can be refused by its method", () => {
    const { question, sent } = questionIn(ROOTS);
    question.refuseMethod();
    expect(sent.map((text) => JSON.parse(text) as unknown)).toEqual([
      {
        jsonrpc: "2.0",
        id: "s-1",
        error: { code: -32601, message: "Method not found: roots/list" },
      },
    ]);
  });
});
