import { describe, expect, it } from "vitest";

import { FakeClient } from "../../test/support/fake-client.ts";
import type { ResultSettings } from "../config/types.ts";
import { LateResults, type LateResultsContext } from "./late-results.ts";

function resultsWith(limit: ResultSettings["limit"]): LateResults {
  const results = { limit, maxBytes: 1000, totalBytes: 1000, idleMs: 1000 };
  // What these tests use of it.
  return new LateResults({ settings: { results } } as unknown as LateResultsContext);
}

function clientNamed(name: string): FakeClient {
  const client = new FakeClient([]);
  const profile = { client: { info: { name, version: "1" } } };
  return Object.assign(client, { profile }) as unknown as FakeClient;
}

describe("the limit for the output of scripts", () => {
  it.each([
    ["client", "codex-mcp-client", { chars: 9500, reason: "this client shows no more" }],
    ["client", "unknown", undefined],
    ["off", "codex-mcp-client", undefined],
    [5000, "codex-mcp-client", { chars: 4500, reason: "setting results.limit" }],
    [5000, "unknown", { chars: 4500, reason: "setting results.limit" }],
  ] as const)("with results.limit %j and the client %s is %j", (limit, name, expected) => {
    expect(resultsWith(limit).textLimit(clientNamed(name))).toEqual(expected);
  });

  it("stores nothing if results.limit is off", async () => {
    const results = resultsWith("off");
    expect(await results.of(clientNamed("unknown")).store("text")).toBeUndefined();
    expect(results.isUsed).toBe(false);
  });
});
