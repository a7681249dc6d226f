import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { textOrError } from "../support/calls.ts";
import { newFolder } from "../support/new-folder.ts";
import type { Message, Params } from "../support/clients/json-rpc.ts";
import { perTest } from "../support/disposables.ts";
import {
  type Cell,
  ERAS,
  type Request,
  inProcessClient,
  inProcessWorkbench,
} from "../support/in-process-clients.ts";

const cleanup = perTest();
const RECORDING = new URL("../fixtures/recording-server.mjs", import.meta.url).pathname;

interface Scene {
  readonly request: Request;
  /** The tools that were called. */
  called(): unknown[];
}

async function scene(era: Cell["era"], server: object, options: object = {}): Promise<Scene> {
  const folder = newFolder("read-tool");
  cleanup.defer(async () => rmSync(folder, { recursive: true }));
  const witness = join(folder, "witness");
  writeFileSync(witness, "");
  const rec = {
    command: process.execPath,
    args: [RECORDING, "readline"],
    env: { WITNESS: witness },
    ...server,
  };
  const toolboxes = { dev: { description: "Tools", mcpServers: { rec } } };
  const workbench = await inProcessWorkbench(cleanup, { ...options, toolboxes });
  const cell: Cell = { mode: "proxy", era, transport: "stdio" };
  const request = await inProcessClient(cleanup, workbench, cell, {
    toolbox: "dev",
    server: "rec",
  });
  const called = (): unknown[] =>
    readFileSync(witness, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(JSON.parse(line) as string) as Message)
      .filter(({ method }) => method === "tools/call")
      .map(({ params }) => params?.["name"]);
  return { request, called };
}

const calls = (metaTool: string, name: string): Params => ({
  name: metaTool,
  arguments: { tool: { toolbox: "dev", server: "rec", name }, arguments: {} },
});

interface Listed {
  readonly name: string;
  readonly annotations: object;
}
const listed = async (request: Request): Promise<readonly Listed[]> =>
  (await request("tools/list")).result?.["tools"] as readonly Listed[];

describe("read_tool", () => {
  const overrides = { safe: { class: "read", name: "look" }, say: { class: "write" } };

  it.each(ERAS)("calls tools that only read, and no others: %s", async (era) => {
    const { request, called } = await scene(era, { overrides });
    const tools = await listed(request);
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints["read_tool"]).toEqual({ readOnlyHint: true });
    expect(hints["use_tool"]).toEqual({ destructiveHint: true });
    expect(textOrError(await request("tools/call", calls("read_tool", "look")))).toBe("ran safe");
    for (const name of ["say", "delete_all"])
      expect(textOrError(await request("tools/call", calls("read_tool", name)))).toBe(
        `Tool '${name}' of server 'rec' (toolbox 'dev') is not known to be read-only. Call it with use_tool`,
      );
    expect(textOrError(await request("tools/call", calls("read_tool", "none")))).toContain(
      "not found",
    );
    expect(textOrError(await request("tools/call", calls("use_tool", "delete_all")))).toBe(
      "ran delete_all",
    );
    expect(called()).toEqual(["safe", "delete_all"]);
    const malformed = await request("tools/call", {
      name: "read_tool",
      arguments: { tool: "look" },
    });
    expect(textOrError(malformed)).toContain(
      'Call read_tool with {"tool":{"toolbox":"dev","server":"rec","name":"look"}',
    );
  });

  it("is named where tools are listed and found", async () => {
    const { request } = await scene("legacy", { overrides });
    const open = async (detail: string): Promise<string> =>
      textOrError(
        await request("tools/call", {
          name: "open_toolbox",
          arguments: { toolbox: "dev", detail },
        }),
      );
    // However long the server takes to start, it is connected after this.
    await request("tools/call", calls("use_tool", "say"));
    const { tools } = JSON.parse(await open("full")) as {
      tools: { name: string; class?: string }[];
    };
    expect(tools.map(({ name, class: kind }) => [name, kind])).toEqual([
      ["look", "read"],
      ["delete_all", undefined],
      ["say", undefined],
      ["wait", undefined],
    ]);
    const names = JSON.parse(await open("names")) as { tools: { rec: string[] } };
    expect(names.tools.rec).toEqual(expect.arrayContaining(["look [read]", "delete_all"]));
    const lines = JSON.parse(await open("signatures")) as { tools: { rec: string[] } };
    expect(lines.tools.rec.slice(0, 2)).toEqual([
      "look(repo?: string) [read]",
      "delete_all(repo?: string)",
    ]);
    const found = await request("tools/call", {
      name: "search_tools",
      arguments: { query: "look" },
    });
    expect(textOrError(found)).toContain("dev/rec/look(repo?: string) [read]");
  });

  it.each<[string, object, object, boolean]>([
    ["no tool can be called with it", {}, {}, false],
    ["a tool has the class read", { overrides }, {}, true],
    ["the annotations of a server are trusted", { annotations: "trust" }, {}, true],
    ["it is turned off", { annotations: "trust" }, { readTool: false }, false],
    ["it is turned on", {}, { readTool: true }, true],
  ])("is offered or not if %s", async (_, server, options, isOffered) => {
    const { request } = await scene("legacy", server, options);
    expect((await listed(request)).some(({ name }) => name === "read_tool")).toBe(isOffered);
    const answer = textOrError(await request("tools/call", calls("read_tool", "wait")));
    expect(answer).toContain(
      isOffered ? "is not known to be read-only" : "Unknown tool: read_tool",
    );
  });
});
