import { describe, expect, it } from "vitest";

import { FakeCaller, callOf } from "../../test/support/fake-connection.ts";
import type { ClientCall } from "./call.ts";
import type { ServerRequest } from "./server-request.ts";
import { Line } from "../wire/lines.ts";
import { readServerLine } from "../wire/response.ts";
import { type NeededInput, collectInput, inputRequired } from "./input-rounds.ts";

function response(text: string) {
  const message = readServerLine(Line.of(text));
  if (message.kind !== "answer") throw new Error("not an answer");
  return message.response;
}

function definite(wanted: ReturnType<typeof inputRequired>): NeededInput {
  if (wanted === undefined || "code" in wanted) throw new Error("nothing is wanted");
  return wanted;
}

/** The answer of a server that wants to know more. */
function wantedIn(result: object): NeededInput {
  const answer = { id: 1, result: { resultType: "input_required", ...result } };
  const wanted = inputRequired(response(JSON.stringify(answer)));
  return definite(wanted);
}

const SOURCE = { place: { toolbox: "dev", server: "fx" }, mayAsk: "duringCalls" } as const;

describe("inputRequired", () => {
  it("finds the requests and the state of an input_required result, as they were written", () => {
    const params = String.raw`{"n":12345678901234567890,"f":1.0,"é":"\u0041"}`;
    const state = String.raw`"\u0041"`;
    const text = `{"id":1,"result":{"resultType":"input_required","requestState": ${state} ,"inputRequests":{"a":{"params":${params},"method":"roots/list"}}}}`;
    const wanted = definite(inputRequired(response(text)));
    expect(wanted.requestState).toBe(state);
    expect(Array.from(wanted.questions, ([key, { text: asked }]) => [key, asked])).toEqual([
      ["a", `{"jsonrpc":"2.0","id":0,"method":"roots/list","params":${params}}`],
    ]);
  });

  it.each([
    '{"id":1,"result":{"resultType":"complete"}}',
    '{"id":1,"result":{"content":[{"text":"input_required"}]}}',
    '{"id":1,"result":{"structuredContent":{"resultType":"input_required"}}}',
    '{"id":1,"error":{"code":1,"message":"input_required","data":"input_required"}}',
  ])("returns undefined for %s", (text) => {
    expect(inputRequired(response(text))).toBeUndefined();
  });

  it.each([
    '{"id":1,"result":{"resultType":"input_required","ResultType":"complete"}}',
    '{"id":1,"result":{"resultType":"complete","resultType":"input_required"}}',
    String.raw`{"id":1,"result":{"result\u0054ype":"input_required"}}`,
    '{"id":1,"result":{"resultType":"input_required","InputRequests":{}}}',
    '{"id":1,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"x","Method":"y"}}}}',
    '{"id":1,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"x","Message":"y"}}}}}',
  ])("returns an error for %s", (text) => {
    expect(inputRequired(response(text))).toMatchObject({
      message: expect.stringContaining("Invalid input request from the server"),
    });
  });

  it("returns undefined for a large answer that is not JSON", () => {
    const text = `{"jsonrpc":"2.0","id":1,"result":{"input_required"${" ".repeat(20_000)}}}`;
    expect(inputRequired(response(text))).toBeUndefined();
  });
});

/** A call whose client does this with what it is asked. */
function callAsking(asked: (question: ServerRequest) => void): ClientCall {
  const caller = new FakeCaller();
  caller.onServerRequest = asked;
  return callOf(caller) as ClientCall;
}

describe("collectInput", () => {
  const wanted = wantedIn({
    inputRequests: {
      name: { method: "elicitation/create", params: { message: "Name?" } },
      roots: { method: "roots/list" },
    },
    requestState: "any thing",
  });

  it("sends all requests at once and returns the answers together, as they were written", async () => {
    const questions: ServerRequest[] = [];
    const collected = collectInput(
      callAsking((question) => questions.push(question)),
      wanted,
      SOURCE,
    );
    expect(questions.map(({ method, request }) => [method, request.params])).toEqual([
      ["elicitation/create", { message: "Name?" }],
      ["roots/list", {}],
    ]);
    questions[1]?.answerWith('{"id":2,"result":{"roots":[],"n":1.0}}');
    questions[0]?.answerWith('{"id":1,"result":{"action":"accept"}}');
    expect(await collected).toEqual({
      inputResponses: '{"name":{"action":"accept"},"roots":{"roots":[],"n":1.0}}',
      requestState: '"any thing"',
    });
  });

  it("does not mistake progress for an answer", async () => {
    const params = { _meta: { progressToken: 1 } };
    const asked = wantedIn({ inputRequests: { r: { method: "roots/list", params } } });
    const call = callAsking((question) => {
      question.progressed({ method: "notifications/progress", params: { progress: 1 } });
      question.answer('{"roots":[]}');
    });
    expect(await collectInput(call, asked, SOURCE)).toMatchObject({
      inputResponses: '{"r":{"roots":[]}}',
    });
  });

  it("returns the client's error if it refuses, and cancels the other requests", async () => {
    const withdrawn: string[] = [];
    const call = callAsking((question) => {
      question.withdrawn = () => withdrawn.push(question.method);
      if (question.method === "roots/list") question.refuse({ code: -1, message: "No" });
    });
    expect(await collectInput(call, wanted, SOURCE)).toEqual({ code: -1, message: "No" });
    expect(withdrawn).toEqual(["elicitation/create"]);
  });

  it("gives up on a server that asks for input without end", async () => {
    const call = callAsking((question) => question.answer("{}"));
    let rounds = 0;
    while (rounds < 100 && "inputResponses" in (await collectInput(call, wanted, SOURCE))) rounds++;
    expect(rounds).toBe(20);
  });

  it.each([[{}], [{ inputRequests: 7 }], [{ inputRequests: { a: null, b: { method: 7 } } }]])(
    "asks the client nothing for %j",
    async (odd) => {
      const questions: ServerRequest[] = [];
      const call = callAsking((question) => questions.push(question));
      const collected = await collectInput(call, wantedIn(odd), SOURCE);
      expect([questions, collected]).toEqual([
        [],
        { inputResponses: "{}", requestState: undefined },
      ]);
    },
  );

  it("adds the elicitationId that legacy clients expect to a URL elicitation", async () => {
    const ids: unknown[] = [];
    const call = callAsking((question) => {
      ids.push(question.request.params["elicitationId"]);
      question.answer("{}");
    });
    for (const params of [
      { mode: "url" },
      { mode: "url" },
      { mode: "url", elicitationId: "own" },
      {},
    ])
      await collectInput(
        call,
        wantedIn({ inputRequests: { u: { method: "elicitation/create", params } } }),
        SOURCE,
      );
    expect(ids.slice(2)).toEqual(["own", undefined]);
    expect(new Set(ids.slice(0, 2)).size).toBe(2);
    for (const id of ids.slice(0, 2)) expect(id).toMatch(/^workbench-[-0-9a-f]{36}$/);
  });
});
