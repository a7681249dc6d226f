import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FakeClient, fakeServer, requestIn } from "../../../test/support/fake-client.ts";
import { FakeConnection } from "../../../test/support/fake-connection.ts";
import { ClientCall } from "../../calls/call.ts";
import { type Outcome, textResult } from "../../calls/outcome.ts";
import { Line } from "../../wire/lines.ts";
import { readServerLine } from "../../wire/response.ts";
import { retryAfterMsOf } from "../../calls/rate-limited.ts";
import type { RateLimit } from "../../config/types.ts";
import { RateCounters } from "./rate-counters.ts";
import { rateLimitStep } from "./rate-limit-step.ts";
import { RateLimits } from "./rate-limits.ts";

const { server } = fakeServer(new FakeConnection());
const client = new FakeClient([]);

function call(method: string): ClientCall {
  const made = new ClientCall(
    client,
    requestIn(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { name: "x" } })),
  );
  made.destination =
    method === "tools/call"
      ? { server, tool: { ...server.place, name: "list" }, argumentsAt: "params.arguments" }
      : { server, subject: "" };
  return made;
}

/** The text of the second call, which exceeds the limit. */
async function refusalText(limit: RateLimit): Promise<string | undefined> {
  const step = rateLimitStep(() => [limit], new RateLimits(new RateCounters(() => 0)));
  const next = (): Promise<Outcome> => Promise.resolve(textResult("sent"));
  for (let i = 0; i < (limit.burst ?? limit.calls); i++) await step(call("tools/call"), next);
  const outcome = await step(call("tools/call"), () => Promise.reject(new Error("sent")));
  return outcome.kind === "failure" ? outcome.error.text : undefined;
}

describe("a call that exceeds a rate limit", () => {
  it.each<[RateLimit, string]>([
    [
      { tools: ["*/list"], calls: 60, perMs: 60_000, burst: 5 },
      "Rate limit for */list: 60 calls per minute. Try again in 1 s",
    ],
    [{ calls: 1, perMs: 86_400_000 }, "Rate limit: 1 call per day. Try again in 86400 s"],
    [
      { tools: ["*/l*", "a/b"], calls: 4, perMs: 1000 },
      "Rate limit for */l*, a/b: 4 calls per second. Try again in 250 ms",
    ],
    [
      { calls: 3, perMs: 90_000, burst: 1 },
      "Rate limit: 3 calls per 90 seconds. Try again in 30 s",
    ],
    [{ calls: 2, perMs: 1500, burst: 1 }, "Rate limit: 2 calls per 1500 ms. Try again in 750 ms"],
  ])("with %j gets the limit and the wait as text", async (limit, text) => {
    expect(await refusalText(limit)).toBe(text);
  });

  it("has the text that the documentation shows", async () => {
    const page = readFileSync(new URL("../../../docs/access.md", import.meta.url), "utf8");
    const [, shown = ""] = /`(Rate limit for [^`]+)`/.exec(page) ?? [];
    const limit = { tools: ["*"], calls: 60, perMs: 60_000 };
    const text = await refusalText({ ...limit, burst: 1 });
    expect(text?.replace("for *:", "for github/*:").replace("1 s", "12 s")).toBe(shown);
  });

  it("carries the wait for programs, and other methods are counted unless they only follow calls", async () => {
    const step = rateLimitStep(
      () => [{ calls: 1, perMs: 5000 }],
      new RateLimits(new RateCounters(() => 0)),
    );
    const next = (): Promise<Outcome> => Promise.resolve(textResult("sent"));
    for (const method of ["prompts/list", "tasks/get", "resources/subscribe", "ping"])
      expect(await step(call(method), next)).toEqual(textResult("sent"));
    expect(await step(call("prompts/get"), next)).toEqual(textResult("sent"));
    const refused = await step(call("resources/read"), next);
    expect(refused.kind === "failure" && retryAfterMsOf(refused.error)).toBe(5000);
    const own = call("tools/call");
    own.destination = { answer: () => textResult("") };
    expect(await step(own, next)).toEqual(textResult("sent"));
  });
});

describe("a call that continues with input for its server", () => {
  const modern = new FakeClient([], "modern");
  const route = { hello: { era: "modern" } } as never;

  function round(more: object): ClientCall {
    const params = { name: "x", ...more };
    const request = requestIn(
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    );
    const made = new ClientCall(modern, request);
    made.destination = {
      server,
      tool: { ...server.place, name: "list" },
      argumentsAt: "params.arguments",
    };
    made.route = route;
    return made;
  }

  function response(result: object): Outcome {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, result });
    const read = readServerLine(Line.of(text));
    if (read.kind !== "answer") throw new Error("not an answer");
    return { kind: "response", response: read.response };
  }

  it("is counted once, and only if its server has asked", async () => {
    const step = rateLimitStep(
      () => [{ calls: 2, perMs: 5000 }],
      new RateLimits(new RateCounters(() => 0)),
    );
    const asks = response({ resultType: "input_required", inputRequests: {} });
    const done = response({ content: [] });
    const input = { inputResponses: {} };
    const kinds: string[] = [];
    const rounds: [object, Outcome][] = [
      [{}, asks],
      [input, asks],
      [input, done],
      [input, done],
      [input, done],
    ];
    for (const [more, outcome] of rounds)
      kinds.push((await step(round(more), () => Promise.resolve(outcome))).kind);
    expect(kinds).toEqual(["response", "response", "response", "response", "failure"]);
  });
});
