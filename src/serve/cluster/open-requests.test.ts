import { describe, expect, it } from "vitest";

import { OpenRequests } from "./open-requests.ts";

const request = (id: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t"}}`;
const requestsOf = (text: string): OpenRequests => new OpenRequests(Buffer.from(text));
const event = (text: string): Buffer => Buffer.from(`id: 1\ndata: ${text}\n\n`);

describe("requests whose replica is lost", () => {
  it("get an error with the id as the client wrote it", () => {
    const [error = ""] = requestsOf(request("12345678901234567890")).errors;
    expect(error).toContain('"id":12345678901234567890,');
    expect(error).toContain("may or may not have taken effect");
  });

  it("get none in a batch if they are answered", () => {
    const open = requestsOf(` [${["1", '"a"', "3"].map(request).join(",")}]`);
    const answers = event('{"result":{},"jsonrpc":"2.0","id":"a"}');
    open.onEvents([answers.subarray(0, 20), answers.subarray(20)]);
    open.onEvents([event('{"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":{}}')]);
    expect(open.errors.map((text) => (JSON.parse(text) as { id: unknown }).id)).toEqual([1, 3]);
  });

  it("get none if the stream breaks between the answer and its end", () => {
    const open = requestsOf(request('"x"'));
    open.onEvents([event('{"jsonrpc":"2.0","method":"notifications/progress"}')]);
    expect(open.errors).toHaveLength(1);
    open.onEvents([event('{"jsonrpc":"2.0","id":"x","result":{"content":[]}}')]);
    expect(open.errors).toEqual([]);
  });

  it("are not found in notifications, responses and broken bodies", () => {
    const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    for (const text of [notification, '{"jsonrpc":"2.0","id":1,"result":{}}', "{", ""])
      expect(requestsOf(text).errors).toEqual([]);
    expect(new OpenRequests(undefined).errors).toEqual([]);
  });
});
