import { describe, expect, it } from "vitest";

import { type CallClient, ClientCall } from "../../calls/call.ts";
import { textResult } from "../../calls/outcome.ts";
import { LOCAL_PRINCIPAL } from "../../calls/principal.ts";
import { classify, requestMessage } from "../../wire/messages.ts";
import type { LiveCall } from "../contract.ts";
import { LiveCalls } from "./live-calls.ts";

const CLIENT = {
  principal: LOCAL_PRINCIPAL,
  profile: { client: { capabilities: {}, info: { name: "agent", version: "2" } } },
} as unknown as CallClient;

function callOf(method: string, params: string): ClientCall {
  const text = requestMessage("1", method, params);
  const incoming = classify(JSON.parse(text), text);
  if (incoming.kind !== "request") throw new Error("not a request");
  return new ClientCall(CLIENT, incoming.request);
}

const useTool = (name: string, args = "{}"): ClientCall => {
  const tool = `{"toolbox":"dev","server":"fx","name":"${name}"}`;
  return callOf(
    "tools/call",
    `{"name":"use_tool","arguments":{"tool":${tool},"arguments":${args}}}`,
  );
};

function observed(keepsPayloads: boolean | (() => boolean) = false) {
  const changes: LiveCall[] = [];
  const calls = new LiveCalls({
    keepsPayloads: () => (typeof keepsPayloads === "boolean" ? keepsPayloads : keepsPayloads()),
    redact: (text) => text.replaceAll("s3cret", "[redacted]"),
    onChange: (call) => changes.push(call),
    now: () => 0,
  });
  const end = async (call: ClientCall, text: string): Promise<void> => {
    const outcome = textResult(text);
    expect(calls.onSettled(call, outcome)).toBe(outcome);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { calls, changes, end };
}

describe("the calls that a dashboard shows", () => {
  it("are running first, and then have an outcome, a size and tokens", async () => {
    const { calls, changes, end } = observed();
    const call = useTool("echo");
    calls.onStarted(call);
    await end(call, "one two three");
    expect(changes).toMatchObject([
      { id: "1", state: "running", toolbox: "dev", server: "fx", subject: "echo" },
      { id: "1", state: "ok", client: { name: "agent", version: "2" }, tokensOut: 3 },
    ]);
    expect(changes[1]?.bytesOut).toBeGreaterThan(10);
    expect(calls.all).toEqual([changes[1]]);
  });

  it("do not include requests that concern the workbench alone", async () => {
    const { calls, end } = observed();
    const call = callOf("ping", "{}");
    calls.onStarted(call);
    await end(call, "");
    expect(calls.all).toEqual([]);
  });

  it("include those that began before they were observed", async () => {
    const { calls, end } = observed();
    await end(useTool("early"), "x");
    expect(calls.all).toMatchObject([{ subject: "early", state: "ok" }]);
  });

  it("name the call of the script that made them", () => {
    const { calls } = observed();
    const parent = callOf("tools/call", '{"name":"run_script","arguments":{}}');
    const child = useTool("inner");
    child.parent = parent;
    calls.onStarted(parent);
    calls.onStarted(child);
    expect(calls.all).toMatchObject([{ subject: "inner", parent: "1" }, { subject: "run_script" }]);
  });

  it("have no payloads unless they are kept, and then without secrets", async () => {
    for (const keeps of [false, true]) {
      const { calls, end } = observed(keeps);
      const call = useTool("echo", '{"key":"s3cret"}');
      calls.onStarted(call);
      await end(call, "it is s3cret");
      const found = calls.find("1");
      expect(found?.arguments === null && found.result === null).toBe(!keeps);
      expect(JSON.stringify(found)).not.toContain("s3cret");
    }
  });

  it("no longer have payloads once the setting is off", async () => {
    let keeps = true;
    const { calls, end } = observed(() => keeps);
    await end(useTool("echo"), "the result");
    expect(calls.find("1")).toMatchObject({ hasPayloads: true, result: expect.any(String) });
    keeps = false;
    expect(calls.find("1")).toMatchObject({ hasPayloads: false, arguments: null, result: null });
  });

  it("keep few payloads, also of calls that run at the same time", async () => {
    const { calls, end } = observed(true);
    const all = Array.from({ length: 120 }, (_, i) => useTool(`tool_${i}`));
    for (const call of all) calls.onStarted(call);
    for (const call of all) await end(call, "x");
    const kept = calls.all.filter(({ id }) => calls.find(id)?.result !== null);
    expect(kept).toHaveLength(50);
  });

  it("are bounded, and so are their payloads", async () => {
    const { calls, end } = observed(true);
    for (let i = 0; i < 1200; i++) {
      const call = useTool(`tool_${i}`);
      calls.onStarted(call);
      await end(call, "x");
    }
    expect(calls.all.length).toBeLessThanOrEqual(1000);
    expect(calls.all[0]?.subject).toBe("tool_1199");
    const kept = calls.all.filter(({ id }) => calls.find(id)?.result !== null);
    expect(kept).toHaveLength(50);
  });
});
