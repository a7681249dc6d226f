import { describe, expect, it } from "vitest";

import { FakeCaller } from "../../test/support/fake-connection.ts";
import { Call, type MoreInput } from "../relay/call.ts";
import type { Question } from "../relay/question.ts";
import { Line } from "../wire/lines.ts";
import { readServerLine } from "../wire/response.ts";
import { collectInput, inputRequired } from "./input-loop.ts";

function response(text: string) {
  const message = readServerLine(Line.of(text));
  if (message.kind !== "answer") throw new Error("not an answer");
  return message.response;
}

describe("inputRequired", () => {
  it("knows an answer that asks for more", () => {
    const result = { resultType: "input_required", inputRequests: {} };
    expect(inputRequired(response(JSON.stringify({ id: 1, result })))).toEqual(result);
  });

  it.each([
    '{"id":1,"result":{"resultType":"complete"}}',
    '{"id":1,"result":{"content":[{"text":"input_required"}]}}',
    '{"id":1,"result":{"structuredContent":{"resultType":"input_required"}}}',
    '{"id":1,"error":{"code":1,"message":"input_required","data":"input_required"}}',
  ])("knows that %s is none", (text) => {
    expect(inputRequired(response(text))).toBeUndefined();
  });

  it("survives a large answer that is not JSON", () => {
    const text = `{"jsonrpc":"2.0","id":1,"result":{"input_required"${" ".repeat(20_000)}}}`;
    expect(inputRequired(response(text))).toBeUndefined();
  });
});

/** A call whose server is told more, and what it was told. */
function asking(): { call: Call; told: MoreInput[] } {
  const call = new Call(new FakeCaller(), "1", "tools/call", "echo", undefined);
  const told: MoreInput[] = [];
  call.again = (input) => void told.push(input);
  return { call, told };
}

describe("collectInput", () => {
  const wanted = {
    inputRequests: {
      name: { method: "elicitation/create", params: { message: "Name?" } },
      roots: { method: "roots/list" },
    },
    requestState: { any: "thing" },
  };

  it("asks everything at once and hands the answers back together", async () => {
    const { call, told } = asking();
    const questions: Question[] = [];
    const collected = collectInput(call, wanted, (question) => questions.push(question));
    expect(questions.map(({ method, request }) => [method, request.params])).toEqual([
      ["elicitation/create", { message: "Name?" }],
      ["roots/list", {}],
    ]);
    questions[1]?.answerWith('{"id":2,"result":{"roots":[]}}');
    expect(told).toEqual([]);
    questions[0]?.answerWith('{"id":1,"result":{"action":"accept"}}');
    await collected;
    expect(told).toEqual([
      {
        inputResponses: { name: { action: "accept" }, roots: { roots: [] } },
        requestState: { any: "thing" },
      },
    ]);
  });

  it("leaves out what the client refuses", async () => {
    const { call, told } = asking();
    await collectInput(call, wanted, (question) =>
      question.method === "roots/list" ? question.refuseMethod() : question.answer('{"a":1}'),
    );
    expect(told).toMatchObject([{ inputResponses: { name: { a: 1 } } }]);
  });

  it.each([[{}], [{ inputRequests: 7 }], [{ inputRequests: { a: null, b: { method: 7 } } }]])(
    "asks nothing for %j and goes on",
    async (odd) => {
      const { call, told } = asking();
      const questions: Question[] = [];
      await collectInput(call, odd, (question) => questions.push(question));
      expect([questions, told]).toEqual([[], [{ inputResponses: {} }]]);
    },
  );

  it("gives a URL question the id that legacy clients know it by", async () => {
    const ids: unknown[] = [];
    const url = (params: object) => ({
      inputRequests: { u: { method: "elicitation/create", params } },
    });
    for (const params of [
      { mode: "url" },
      { mode: "url" },
      { mode: "url", elicitationId: "own" },
      {},
    ])
      await collectInput(asking().call, url(params), (question) => {
        ids.push(question.request.params["elicitationId"]);
        question.answer("{}");
      });
    expect(ids.slice(2)).toEqual(["own", undefined]);
    expect(new Set(ids.slice(0, 2)).size).toBe(2);
    for (const id of ids.slice(0, 2)) expect(id).toMatch(/^workbench-\d+$/);
  });
});
