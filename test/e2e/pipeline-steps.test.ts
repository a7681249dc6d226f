/**
 * Everything between a call and its server is a step: a function. These steps exist only in tests;
 * they show that every call passes them, in every mode, era and transport.
 */
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { ClientCall, Step } from "../../src/calls/call.ts";
import { failure, result } from "../../src/calls/outcome.ts";
import { resolveConfig } from "../../src/config/load.ts";
import { LocalClient } from "../../src/embed/local-client.ts";
import { workbenchError } from "../../src/errors.ts";
import { serveHttp } from "../../src/serve/http.ts";
import { serverView } from "../../src/serve/client-view.ts";
import { serveStdio } from "../../src/serve/stdio.ts";
import { Workbench } from "../../src/workbench/workbench.ts";
import { messagesIn } from "../support/clients/events.ts";
import { LEGACY, META, MODERN, type Message, type Params } from "../support/clients/json-rpc.ts";
import { type Disposables, perTest } from "../support/disposables.ts";
import { HttpClient } from "../support/http-client.ts";
import { everything, fixture } from "../support/servers.ts";

const cleanup = perTest();
const MODES = ["proxy", "dynamic", "transparent"] as const;
const ERAS = ["legacy", "modern"] as const;
const TRANSPORTS = ["stdio", "http"] as const;
type Mode = (typeof MODES)[number];
type Era = (typeof ERAS)[number];
type Transport = (typeof TRANSPORTS)[number];

const CELLS = MODES.flatMap((mode) =>
  ERAS.flatMap((era) => TRANSPORTS.map((transport) => ({ mode, era, transport }))),
);

const ENVELOPE = {
  [`${META}protocolVersion`]: MODERN,
  [`${META}clientCapabilities`]: {},
  [`${META}clientInfo`]: { name: "steps", version: "1.0.0" },
};

type Request = (method: string, params?: Params) => Promise<Message>;

/** A workbench in this process whose calls pass these steps. */
async function workbenchWith(steps: readonly Step[], mode: Mode): Promise<Workbench> {
  const settings = await resolveConfig(
    {
      toolMode: mode === "dynamic" ? "dynamic" : "proxy",
      toolboxes: {
        dev: {
          description: "d",
          mcpServers: { fx: fixture(), all: everything("legacy") } as never,
        },
      },
      log: { level: "silent" },
    },
    { env: { PATH: process.env["PATH"] ?? "" }, cwd: "." },
  );
  const workbench = new Workbench(settings, { cache: false, steps });
  cleanup.defer(() => workbench.close());
  return workbench;
}

async function client(
  workbench: Workbench,
  { mode, era, transport }: { mode: Mode; era: Era; transport: Transport },
): Promise<Request> {
  const scope = workbench.toolboxes;
  const server = workbench.toolboxes.get("dev")?.servers.get("fx");
  if (server === undefined) throw new Error("no such server");
  const view = mode === "transparent" ? serverView(scope, server) : { scope };
  const send =
    transport === "stdio"
      ? overStdio(workbench, view)
      : await overHttp(cleanup, workbench, view, era);
  const request: Request = (method, params = {}) =>
    send(method, era === "modern" ? { ...params, _meta: ENVELOPE } : params);
  if (era === "legacy" && transport === "stdio")
    await request("initialize", {
      protocolVersion: LEGACY,
      capabilities: {},
      clientInfo: { name: "steps", version: "1.0.0" },
    });
  if (mode === "dynamic" && era === "legacy")
    await request("tools/call", { name: "open_toolbox", arguments: { toolbox: "dev" } });
  return request;
}

function overStdio(workbench: Workbench, view: Parameters<typeof serveStdio>[1]): Request {
  const input = new PassThrough();
  const output = new PassThrough();
  void serveStdio(workbench, view, input, output);
  cleanup.defer(async () => void input.end());
  const waiting = new Map<unknown, (message: Message) => void>();
  let text = "";
  output.on("data", (chunk: Buffer) => {
    const lines = (text + chunk.toString()).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line) as Message;
      waiting.get(message.id)?.(message);
    }
  });
  let next = 1;
  return (method, params) =>
    new Promise((resolve) => {
      const id = next++;
      waiting.set(id, resolve);
      input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
}

async function overHttp(
  disposables: Disposables,
  workbench: Workbench,
  view: Parameters<typeof serveHttp>[1],
  era: Era,
): Promise<Request> {
  const address = { host: "127.0.0.1", port: 0 };
  const front = await serveHttp(workbench, view, { address, token: undefined });
  disposables.defer(() => front.close());
  const http = new HttpClient(`${front.url}/mcp`, undefined);
  if (era === "legacy") {
    await http.initialize();
    return (method, params) => http.ask(method, params);
  }
  return async (method, params) => {
    const { text } = await http.modern(method, params).done();
    return messagesIn(text).at(-1) ?? {};
  };
}

/** A call of the tool `echo`, as a client of this mode makes it. */
function echo(mode: Mode, text: string): Params {
  if (mode === "transparent") return { name: "echo", arguments: { text } };
  if (mode === "dynamic") return { name: "dev__fx__echo", arguments: { text } };
  const tool = { toolbox: "dev", server: "fx", name: "echo" };
  return { name: "use_tool", arguments: { tool, arguments: { text } } };
}

const textIn = ({ result: found }: Message): string => found?.content?.[0]?.text ?? "";

/** The tool a call is for: the tool of a server, or the meta-tool. */
const toolOf = (call: ClientCall): unknown => call.destination?.server && call.destination.tool;

describe("a step of the pipeline", () => {
  it.each(CELLS)("may wait before a call is sent: $mode, $era, $transport", async (cell) => {
    const held: unknown[] = [];
    const wait: Step = async (call, next) => {
      if (call.method !== "tools/call") return next();
      await new Promise((resolve) => setImmediate(resolve));
      held.push(toolOf(call));
      return next();
    };
    const request = await client(await workbenchWith([wait], cell.mode), cell);
    held.length = 0;
    expect(textIn(await request("tools/call", echo(cell.mode, "hello")))).toContain("hello");
    const isNamed = cell.mode !== "transparent";
    expect(held).toEqual([isNamed ? { toolbox: "dev", server: "fx", name: "echo" } : undefined]);
  });

  it.each(CELLS)("may refuse a call: $mode, $era, $transport", async (cell) => {
    const refuse: Step = async (call, next) =>
      call.request.text.includes("forbidden")
        ? failure(workbenchError("INVALID_PARAMETERS", { reason: "this is forbidden" }))
        : next();
    const request = await client(await workbenchWith([refuse], cell.mode), cell);
    expect(await request("tools/call", echo(cell.mode, "forbidden"))).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining("this is forbidden") }] },
    });
    expect(textIn(await request("tools/call", echo(cell.mode, "hello")))).toContain("hello");
  });

  it.each(CELLS)("may replace a result: $mode, $era, $transport", async (cell) => {
    const replace: Step = async (call, next) => {
      const outcome = await next();
      if (call.method !== "tools/call" || outcome.kind !== "response") return outcome;
      const bytes = outcome.response.bytes;
      return result({ content: [{ type: "text", text: `replaced ${bytes > 0}` }] });
    };
    const request = await client(await workbenchWith([replace], cell.mode), cell);
    expect(textIn(await request("tools/call", echo(cell.mode, "hello")))).toBe("replaced true");
  });

  it.each(CELLS)("sees every method, with the client: $mode, $era, $transport", async (cell) => {
    const seen: string[] = [];
    const note: Step = async (call, next) => {
      const outcome = await next();
      seen.push(`${call.principal.kind} ${call.method}: ${outcome.kind}`);
      return outcome;
    };
    const request = await client(await workbenchWith([note], cell.mode), cell);
    const methods = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
    const further = cell.era === "legacy" ? ["ping", "logging/setLevel"] : ["server/discover"];
    for (const method of [...methods, ...further, "prompts/get", "completion/complete"])
      await request(method, {
        name: "none",
        level: "error",
        ref: { type: "ref/prompt", name: "n" },
      });
    const principal = cell.transport === "stdio" ? "stdio" : "owner";
    for (const method of [...methods, ...further, "prompts/get", "completion/complete"])
      expect(seen.filter((entry) => entry.startsWith(`${principal} ${method}: `))).toHaveLength(1);
  });

  it("sees the meta-tools, the command line and the library", async () => {
    const seen: unknown[][] = [];
    const note: Step = async (call, next) => {
      seen.push([call.principal.kind, call.method, call.request.params["name"], toolOf(call)]);
      return next();
    };
    const local = new LocalClient(await workbenchWith([note], "proxy"));
    const tool = { toolbox: "dev", server: "fx", name: "echo" };
    await local.request("tools/call", { name: "search_tools", arguments: { query: "echo" } });
    await local.request("tools/call", { name: "open_toolbox", arguments: { toolbox: "dev" } });
    await local.callTool(tool, '{"text":"hello"}');
    local.close();
    expect(seen.filter(([, method]) => method === "tools/call")).toEqual([
      ["local", "tools/call", "search_tools", undefined],
      ["local", "tools/call", "open_toolbox", undefined],
      ["local", "tools/call", "use_tool", tool],
    ]);
  });
});
