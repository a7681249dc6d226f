import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { newFolder } from "../../test/support/new-folder.ts";
import { FakeClient, fakeServer, requestIn } from "../../test/support/fake-client.ts";
import { FakeConnection } from "../../test/support/fake-connection.ts";
import { ClientCall } from "../calls/call.ts";
import type { Destination } from "../calls/destination.ts";
import {
  type Outcome,
  failedResult,
  failure,
  refusal,
  result,
  textResult,
} from "../calls/outcome.ts";
import type { AuditSettings } from "../config/types.ts";
import { type ErrorCode, workbenchError } from "../errors.ts";
import { redactor } from "../secrets/redact.ts";
import type { JsonObject } from "../text/json.ts";
import { Line } from "../wire/lines.ts";
import { readServerLine } from "../wire/response.ts";
import { Auditor } from "./auditor.ts";
import { auditFiles } from "./file-names.ts";

const SETTINGS: AuditSettings = { arguments: "shape", required: false, retainDays: 90 };
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function scene(settings: Partial<AuditSettings> = {}, secrets: readonly string[] = []) {
  const folder = join(newFolder("auditor-test"), "audit");
  folders.push(folder);
  const warnings: string[] = [];
  const auditor = new Auditor({
    folder,
    settings: () => ({ ...SETTINGS, ...settings }),
    redact: redactor(secrets),
    warn: (message) => warnings.push(message),
  });
  /** The entries of calls that were recorded. */
  const entries = (): JsonObject[] => {
    auditor.close();
    return auditFiles(folder)
      .flatMap(({ name }) => readFileSync(join(folder, name), "utf8").trim().split("\n"))
      .map((line) => JSON.parse(line) as JsonObject)
      .filter(({ event }) => event !== "start");
  };
  return { folder, auditor, warnings, entries };
}

const server = fakeServer(new FakeConnection()).server;
const tool = { toolbox: "dev", server: "fx", name: "echo" };
const onServer = { server, tool, argumentsAt: "params.arguments.arguments" } as const;

/** A call as it is when it has ended. */
function call(method: string, params: object, destination?: Destination): ClientCall {
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const made = new ClientCall(new FakeClient([]), requestIn(text));
  made.destination = destination;
  return made;
}

const useTool = (args?: object): ClientCall =>
  call("tools/call", { name: "use_tool", arguments: { tool, arguments: args } }, onServer);

function response(body: object): Outcome {
  const read = readServerLine(Line.of(JSON.stringify({ jsonrpc: "2.0", id: 1, ...body })));
  if (read.kind !== "answer") throw new Error("not an answer");
  return { kind: "response", response: read.response };
}

const failed = (code: ErrorCode): Outcome =>
  failure(workbenchError(code, { ...tool, reason: "r", what: "w" } as never));
const time = Date.UTC(2026, 10, 17, 12);

describe("the entry of a call", () => {
  it("states who called what, when, how it ended and how long it took, but no values", () => {
    const { auditor, entries } = scene();
    const made = useTool({ text: "confidential", options: { depth: 3, tags: ["a", "b"] } });
    const outcome = response({ result: { content: [] } });
    expect(auditor.record({ call: made, outcome, number: 7, ms: 12.345, time })).toBe(outcome);
    const [entry] = entries();
    expect(entry).toMatchObject({
      time: "2026-11-17T12:00:00.000Z",
      event: "call",
      method: "tools/call",
      id: expect.stringMatching(/^\d+-[0-9a-f]{8}-7$/) as string,
      principal: { kind: "stdio", id: "stdio", name: "stdio" },
      session: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
      toolbox: "dev",
      server: "fx",
      tool: "echo",
      argsShape: { text: "string", options: { depth: "number", tags: ["string"] } },
      outcome: "ok",
      ms: 12.3,
    });
    expect(entry?.["bytesIn"]).toBe(Buffer.byteLength(made.request.text));
    expect(JSON.stringify(entry)).not.toContain("confidential");
  });

  it("names the parent of a nested call, and what access control decided", () => {
    const { auditor, entries } = scene();
    const made = useTool();
    made.decision = {
      action: "ask",
      rule: "policy.rules[0]",
      toolClass: "write",
      approval: "k3fz",
      channel: "terminal",
    };
    auditor.record({ call: made, outcome: textResult(""), number: 9, parentNumber: 8, time });
    expect(entries()).toMatchObject([
      {
        id: expect.stringMatching(/-9$/) as string,
        parent: expect.stringMatching(/-8$/) as string,
        class: "write",
        decision: { action: "ask", rule: "policy.rules[0]", approval: "k3fz", channel: "terminal" },
      },
    ]);
  });

  it.each<[string, Outcome, object]>([
    ["a result", response({ result: {} }), { outcome: "ok" }],
    ["a result of the workbench", textResult("x"), { outcome: "ok", bytesOut: 40 }],
    ["a failed script", failedResult('{"isError":true}', "tool_error"), { outcome: "tool_error" }],
    ["a script out of time", failedResult("{}", "timeout"), { outcome: "timeout", bytesOut: 2 }],
    ["a failed tool", response({ result: { isError: true } }), { outcome: "tool_error" }],
    [
      "a result that only mentions failure",
      response({ result: { structuredContent: { isError: true } } }),
      { outcome: "ok" },
    ],
    [
      "a large failed result",
      response({
        result: { isError: true, content: [{ text: "x".repeat(40_000) }], after: "y".repeat(1000) },
      }),
      { outcome: "tool_error" },
    ],
    [
      "an error of the server",
      response({ error: { code: -32602, message: "m" } }),
      { outcome: "error", code: "-32602" },
    ],
    ["a refusal", refusal(-32601, "m"), { outcome: "error", code: "-32601" }],
    ["a lost connection", failed("SERVER_DIED"), { outcome: "error", code: "SERVER_DIED" }],
    ["a time-out", failed("CALL_TIMEOUT"), { outcome: "timeout", code: "CALL_TIMEOUT" }],
    ["a denial", failed("FORBIDDEN"), { outcome: "denied", code: "FORBIDDEN" }],
    ["a cancellation", { kind: "cancelled", reason: "r" }, { outcome: "cancelled" }],
  ])("states the outcome of %s", (_, outcome, expected) => {
    const { auditor, entries } = scene();
    auditor.record({ call: useTool(), outcome, time });
    expect(entries()).toMatchObject([expected]);
  });

  it("states that a call was denied if the policy decided so, whatever it returned", () => {
    const { auditor, entries } = scene();
    for (const outcome of [result({ isError: true }), refusal(1, "m"), failed("INTERNAL")]) {
      const made = useTool();
      made.decision = { action: "deny" };
      auditor.record({ call: made, outcome, time });
    }
    expect(entries().map((entry) => entry["outcome"])).toEqual(["denied", "denied", "denied"]);
  });

  it.each<[string, ClientCall, object]>([
    [
      "a tool of an unknown server",
      call("tools/call", {
        name: "use_tool",
        arguments: { tool: { toolbox: "x", server: "y", name: "z" } },
      }),
      { toolbox: "x", server: "y", tool: "z" },
    ],
    [
      "use_tool without a tool",
      call("tools/call", { name: "use_tool", arguments: {} }),
      { tool: "use_tool" },
    ],
    [
      "another meta-tool",
      call(
        "tools/call",
        { name: "open_toolbox", arguments: { toolbox: "dev" } },
        { answer: () => textResult("") },
      ),
      { toolbox: "dev", tool: "open_toolbox" },
    ],
    ["a call without a name", call("tools/call", {}), { event: "call" }],
    [
      "a name that is too long",
      call("tools/call", { name: "x".repeat(10_000) }),
      { tool: `${"x".repeat(127)}…` },
    ],
    [
      "a prompt",
      call("prompts/get", { name: "p", arguments: { a: "b" } }),
      { event: "prompt", prompt: "p", argsShape: { a: "string" } },
    ],
    [
      "a resource",
      call("resources/read", { uri: "file:///x" }),
      { event: "read", argsShape: { uri: "string" } },
    ],
    [
      "a method of a server",
      call("tools/list", {}, { server, subject: "" }),
      { event: "request", ...server.place },
    ],
  ])("names what %s is about", (_, made, expected) => {
    const { auditor, entries } = scene();
    auditor.record({ call: made, outcome: textResult(""), time });
    expect(entries()).toMatchObject([expected]);
  });

  it("does not exist for requests that only concern the workbench", () => {
    const { auditor, entries } = scene();
    for (const method of ["ping", "initialize", "tools/list", "logging/setLevel", "no/such"])
      auditor.record({
        call: call(method, {}, { answer: () => textResult("") }),
        outcome: textResult(""),
        time,
      });
    expect(entries()).toEqual([]);
  });
});

describe("what is recorded of arguments", () => {
  const args = { password: "hunter2-hunter2", query: "x".repeat(500), limit: 5 };

  it("is nothing, or a hash with a local key, or shortened values without secrets", () => {
    const found = (["none", "hash", "redacted"] as const).map((mode) => {
      const { auditor, entries } = scene({ arguments: mode });
      auditor.record({ call: useTool(args), outcome: textResult(""), time });
      auditor.record({ call: useTool(args), outcome: textResult(""), time });
      const [first, second] = entries();
      const { argsShape, argsHash, args: values } = first ?? {};
      expect(second?.["argsHash"]).toBe(argsHash);
      return { argsShape, argsHash, values };
    });
    const nothing = { argsShape: undefined, argsHash: undefined, values: undefined };
    expect(found[0]).toEqual(nothing);
    expect(found[1]).toEqual({
      ...nothing,
      argsHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(found[2]).toEqual({
      ...nothing,
      values: { password: "[redacted]", query: `${"x".repeat(199)}…`, limit: 5 },
    });
  });

  it("is hashed with another key in another folder", () => {
    const hashes = [1, 2].map(() => {
      const { auditor, entries } = scene({ arguments: "hash" });
      auditor.record({ call: useTool(args), outcome: textResult(""), time });
      return entries()[0]?.["argsHash"];
    });
    expect(hashes[0]).not.toBe(hashes[1]);
  });

  it("is bounded, whatever the arguments are", () => {
    const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });
    const wide = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [`key${i}`.padEnd(200, "x"), { a: { b: i } }]),
    );
    for (const mode of ["shape", "redacted"] as const) {
      const { auditor, entries } = scene({ arguments: mode });
      for (const value of [
        deep(100),
        wide,
        { big: "x".repeat(200_000), list: [1] },
        { list: Array.from({ length: 10_000 }, () => "y".repeat(300)) },
      ])
        auditor.record({ call: useTool(value), outcome: textResult(""), time });
      const found = entries();
      expect(found).toHaveLength(4);
      for (const entry of found) expect(JSON.stringify(entry).length).toBeLessThan(20_000);
      expect(found[2]).toMatchObject({ argsShape: { big: "string", list: "array" } });
    }
  });

  it("never contains a secret of the configuration, not even as a key or a name", () => {
    const secret = 'k"0123456789abcdef';
    const { auditor, entries } = scene({ arguments: "redacted" }, [secret]);
    const made = useTool({ [secret]: `Bearer ${secret}`, other: [secret] });
    auditor.record({ call: made, outcome: textResult(""), time });
    auditor.record({ call: call("tools/call", { name: secret }), outcome: textResult(""), time });
    const text = JSON.stringify(entries());
    expect(text).not.toContain("0123456789abcdef");
    expect(text).toContain("[redacted]");
  });

  it("does not contain the start of a secret that is too long for it, or a key that looks like one", () => {
    const secret = "long-secret-".padEnd(400, "0123456789abcdef");
    const token = `ghp_${"aB3dE5gH7jK9".repeat(3)}`;
    for (const mode of ["shape", "redacted"] as const) {
      const { auditor, entries } = scene({ arguments: mode }, [secret]);
      const args = { [secret]: 1, text: "x".repeat(190) + secret, [token]: { [token]: 2 } };
      const large = { ...args, big: "x".repeat(100_000) };
      for (const made of [useTool(args), useTool(large)])
        auditor.record({ call: made, outcome: textResult(""), time });
      expect(JSON.stringify(entries())).not.toMatch(/long-sec|ghp_/);
    }
  });
});

describe("a required audit log that cannot be written", () => {
  it("refuses calls, withholds results, and allows both again when it can be written", () => {
    const { folder, auditor, warnings, entries } = scene({ required: true });
    writeFileSync(folder, "in the way");
    const made = useTool({ a: 1 });
    expect(auditor.refusal(made)).toMatchObject({
      kind: "failure",
      error: { code: "AUDIT_UNAVAILABLE" },
    });
    expect(auditor.refusal(call("ping", {}))).toBeUndefined();
    const withheld = auditor.record({ call: made, outcome: textResult("secret result"), time });
    expect(withheld).toMatchObject({
      error: {
        code: "AUDIT_UNAVAILABLE",
        hint: expect.stringContaining("may have taken effect") as string,
      },
    });
    const refused = failed("AUDIT_UNAVAILABLE");
    expect(auditor.record({ call: made, outcome: refused, time })).toBe(refused);
    expect(warnings).toHaveLength(1);
    rmSync(folder);
    expect(auditor.refusal(made)).toBeUndefined();
    expect(entries().map((entry) => entry["outcome"])).toEqual(["ok", "denied"]);
  });

  it("lets calls continue if it is not required", () => {
    const { folder, auditor, warnings } = scene();
    writeFileSync(folder, "in the way");
    const outcome = textResult("x");
    expect(auditor.refusal(useTool())).toBeUndefined();
    expect(auditor.record({ call: useTool(), outcome, time })).toBe(outcome);
    auditor.close();
    expect(warnings).toEqual([
      expect.stringMatching(/audit log cannot be written: .*Calls continue/),
    ]);
    rmSync(folder);
  });
});

describe("entries that are not required", () => {
  afterEach(() => void vi.useRealTimers());

  it.each([
    [3, "calls", "short", "later"],
    [64, "calls", "short", "in the next turn"],
    [1, "call with a large result", "x".repeat(300_000), "in the next turn"],
  ])("are made after the answers: those of %i %s", async (calls, _, text, when) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let made = 0;
    const folder = join(newFolder("auditor-test"), "audit");
    folders.push(folder);
    const auditor = new Auditor({
      folder,
      settings: () => SETTINGS,
      redact: (entry) => {
        if (entry.startsWith('{"time":')) made++;
        return entry;
      },
      warn: () => {},
    });
    const outcome = response({ result: { content: [{ type: "text", text }] } });
    for (let i = 0; i < calls; i++)
      expect(auditor.record({ call: useTool(), outcome, time })).toBe(outcome);
    expect(made).toBe(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(made).toBe(when === "later" ? 0 : calls);
    vi.advanceTimersByTime(10);
    expect(made).toBe(calls);
    auditor.close();
    expect(made).toBe(calls);
  });

  it("have the arguments that the settings allowed when the call ended", () => {
    const settings: { arguments: AuditSettings["arguments"] } = { arguments: "none" };
    const { auditor, entries } = scene(settings);
    auditor.record({ call: useTool({ text: "private" }), outcome: textResult(""), time });
    settings.arguments = "redacted";
    const [entry] = entries();
    expect(entry).toMatchObject({ event: "call", tool: "echo" });
    expect(JSON.stringify(entry)).not.toContain("private");
  });
});
