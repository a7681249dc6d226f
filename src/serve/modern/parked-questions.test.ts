import { describe, expect, it } from "vitest";

import { requestIn } from "../../../test/support/fake-client.ts";
import type { Call } from "../../calls/call.ts";
import { ServerRequest } from "../../calls/server-request.ts";
import { ParkedQuestions } from "./parked-questions.ts";

describe("the answers of a modern client to a legacy server", () => {
  it.each([
    ['{ "action": "accept" }', '"result":{ "action": "accept" }'],
    ['"garbage"', '"error":{"code":-32602'],
    ["null", '"error":{"code":-32602'],
    ["[]", '"error":{"code":-32602'],
  ])("are forwarded if they are objects: %s", (answer, sent) => {
    const messages: string[] = [];
    const request = requestIn('{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{}}');
    const place = { toolbox: "t", server: "s" };
    const send = (message: string): void => void messages.push(message);
    const asked = new ServerRequest(request, { place, mayAsk: "always", send });
    const questions = new ParkedQuestions({ elicitation: {} });
    expect(questions.add(asked, { method: "tools/call" } as Call)).toBe(true);
    const retry = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"inputResponses":{"question-1":${answer}}}}`;
    questions.answer(requestIn(retry));
    expect(messages).toEqual([expect.stringContaining(sent)]);
    expect(questions.size).toBe(0);
  });
});
