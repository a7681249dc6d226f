import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";

import { perTest } from "../../test/support/disposables.ts";
import { FakeClient, requestIn } from "../../test/support/fake-client.ts";
import { temporaryFolder } from "../../test/support/workbench.ts";
import { type CallClient, ClientCall } from "../calls/call.ts";
import type { ArgumentsAt, CallTarget } from "../calls/destination.ts";
import { type Principal, STDIO_PRINCIPAL } from "../calls/principal.ts";
import type { ResultSettings } from "../config/types.ts";
import { Line } from "../wire/lines.ts";
import { readServerLine } from "../wire/response.ts";
import { LateResults } from "./late-results.ts";

const cleanup = perTest();
/** What the cases have started; modules are loaded for it. */
const started: Promise<unknown>[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0));
});

function responseOf(chars: number) {
  const text = "x".repeat(chars);
  const message = { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }] } };
  const read = readServerLine(Line.of(JSON.stringify(message)));
  if (read.kind !== "answer") throw new Error("not an answer");
  return read.response;
}

interface Case {
  readonly name?: string;
  readonly principal?: Partial<Principal>;
  readonly at?: ArgumentsAt;
  readonly tool?: Record<string, unknown>;
  readonly limit?: ResultSettings["limit"];
  readonly scripts?: boolean | undefined;
  readonly nested?: boolean;
}

/** Whether a result of so many characters is too large. */
function isTooLarge(chars: number, options: Case = {}): boolean {
  const { name = "codex-mcp-client", principal = {}, at = "params.arguments.arguments" } = options;
  const { tool = {}, limit = "client", nested = false } = options;
  const results = { limit, maxBytes: 1e6, totalBytes: 1e6, idleMs: 1000 };
  const scripts = { enabled: "scripts" in options ? options.scripts : true };
  const late = new LateResults({
    host: { log: { debug: () => {} } },
    settings: { results, scripts, limits: { messageBytes: 1e6 } },
  } as unknown as ConstructorParameters<typeof LateResults>[0]);
  late.configure(results);
  const profile = { client: { capabilities: {}, info: { name } } };
  const whose = { ...STDIO_PRINCIPAL, ...principal };
  const client = Object.assign(new FakeClient([]), { profile, principal: whose }) as CallClient;
  const call = new ClientCall(
    client,
    requestIn('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}'),
  );
  if (nested) call.parent = call;
  const id = { toolbox: "t", server: "s", name: "n" };
  const server = {} as CallTarget;
  call.destination = { server, tool: id, argumentsAt: at, mayStoreResult: true };
  const response = responseOf(chars);
  if (response.bytes <= late.minBytes) return false;
  const replaced = late.replace(call, { nameJson: '"n"', value: tool }, response);
  late.close();
  if (replaced !== undefined) started.push(replaced);
  return replaced !== undefined;
}

const NATIVE = { at: "params.arguments" } as const;
const MAX_CHARS = "anthropic/maxResultSizeChars";

describe("a result is too large", () => {
  it("for a client that is known to truncate it", () => {
    expect(isTooLarge(11_000)).toBe(true);
    expect(isTooLarge(9000)).toBe(false);
    expect(isTooLarge(30_000, { name: "qwen-cli-mcp-client-x" })).toBe(true);
    expect(isTooLarge(30_000, { name: "gemini-cli-mcp-client" })).toBe(false);
  });

  it("for no other client", () => {
    for (const name of ["unknown", "", "CODEX-mcp-client", "Visual Studio Code"])
      expect(isTooLarge(600_000, { name })).toBe(false);
  });

  it("for Claude Code above what the tool asks for", () => {
    const claude = { name: "claude-code" };
    expect(isTooLarge(400_000, claude)).toBe(false);
    expect(isTooLarge(600_000, claude)).toBe(true);
    expect(isTooLarge(60_000, { ...claude, ...NATIVE })).toBe(true);
    const asking = { _meta: { [MAX_CHARS]: 100_000 } };
    expect(isTooLarge(60_000, { ...claude, ...NATIVE, tool: asking })).toBe(false);
    expect(isTooLarge(110_000, { ...claude, ...NATIVE, tool: asking })).toBe(true);
    const senseless = { _meta: { [MAX_CHARS]: "many" } };
    expect(isTooLarge(60_000, { ...claude, ...NATIVE, tool: senseless })).toBe(true);
  });

  it("for every client above the number in the configuration", () => {
    expect(isTooLarge(6000, { name: "unknown", limit: 5000 })).toBe(true);
    expect(isTooLarge(4000, { name: "unknown", limit: 5000 })).toBe(false);
    expect(isTooLarge(11_000, { limit: 20_000 })).toBe(false);
    expect(isTooLarge(600_000, { limit: "off" })).toBe(false);
  });

  it("never for native tools with an output schema", () => {
    expect(isTooLarge(60_000, NATIVE)).toBe(true);
    const tool = { outputSchema: { type: "object" } };
    expect(isTooLarge(60_000, { ...NATIVE, tool })).toBe(false);
    expect(isTooLarge(60_000, { tool })).toBe(true);
  });

  it("never for scripts and programs, or a client that cannot run scripts", () => {
    expect(isTooLarge(60_000, { nested: true })).toBe(false);
    expect(isTooLarge(60_000, { principal: { kind: "local" }, limit: 5000 })).toBe(false);
    expect(isTooLarge(60_000, { scripts: false })).toBe(false);
    expect(isTooLarge(60_000, { scripts: undefined, principal: { kind: "token" } })).toBe(false);
    expect(isTooLarge(60_000, { scripts: undefined })).toBe(true);
    expect(isTooLarge(60_000, { principal: { kind: "token" } })).toBe(true);
  });
});

describe("what killed workbenches have left", () => {
  it("is removed", async () => {
    const root = join(temporaryFolder(cleanup), "results");
    const late = new LateResults({} as ConstructorParameters<typeof LateResults>[0]);
    await late.removeStale(root);
    const left = join(root, "4194304999-1-0123456789abcdef");
    mkdirSync(left, { recursive: true });
    await late.removeStale(root);
    expect(existsSync(left)).toBe(false);
  });
});

function resultsWith(limit: ResultSettings["limit"]): LateResults {
  const results = { limit, maxBytes: 1000, totalBytes: 1000, idleMs: 1000 };
  // What these tests use of it.
  return new LateResults({ settings: { results } } as unknown as ConstructorParameters<
    typeof LateResults
  >[0]);
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

describe("a reference to a result", () => {
  const request = requestIn(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"use_tool","arguments":{"tool":{"toolbox":"a","server":"b","name":"c"},"arguments":{"x":{"$result":"r7"}}}}}',
  );
  const resolve = (
    principal: Partial<Principal>,
    limit: ResultSettings["limit"],
    enabled?: boolean,
  ) => {
    const results = { limit, maxBytes: 1000, totalBytes: 1000, idleMs: 1000 };
    const settings = { results, scripts: { enabled, memoryMb: 64 }, limits: { messageBytes: 1e6 } };
    const host = { log: { debug: () => {} } };
    const late = new LateResults({ host, settings } as unknown as ConstructorParameters<
      typeof LateResults
    >[0]);
    const client = Object.assign(new FakeClient([]), {
      principal: { ...STDIO_PRINCIPAL, ...principal },
    }) as CallClient;
    return late.resolve(client, request, "params.arguments.arguments")?.finally(() => late.close());
  };

  it("is resolved also if nothing was stored yet", async () => {
    // The thread that resolves it runs only in the built program.
    await expect(resolve({}, "client")).rejects.toThrow(Error);
    await expect(resolve({ kind: "owner" }, "client", true)).rejects.toThrow(Error);
  });

  it("is an argument like any other for clients whose results are never stored", () => {
    expect(resolve({}, "off")).toBeUndefined();
    expect(resolve({ kind: "local" }, "client", true)).toBeUndefined();
    expect(resolve({ kind: "owner" }, "client")).toBeUndefined();
  });
});
