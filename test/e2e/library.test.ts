/** The workbench inside a program: the example, and what the library promises to embedders. */
import { mkdirSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as library from "../../src/index.ts";
import { type Disposables, perTest } from "../support/disposables.ts";
import { alive, waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { runProgram } from "../support/run-program.ts";
import { scriptServer } from "../support/script-server.ts";
import { type Servers, MISSING_COMMAND, Witness, fixture, toolbox } from "../support/servers.ts";
import { temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const echo = { toolbox: "dev", server: "fx", name: "echo" };

/** A workbench with these servers in the toolboxes `dev` and `prod`, and what its servers saw. */
async function embed(disposables: Disposables, servers: Servers) {
  const dir = temporaryFolder(disposables);
  mkdirSync(`${dir}/witness`);
  const witnessed = (box: string): Servers =>
    Object.fromEntries(
      Object.entries(servers).map(([name, entry]) => [
        name,
        "command" in entry
          ? { ...entry, env: { WITNESS: `${dir}/witness/${box}__${name}.jsonl` } }
          : entry,
      ]),
    );
  const config = {
    toolboxes: { dev: toolbox(witnessed("dev")), prod: toolbox(witnessed("prod")) },
  };
  const settings = await library.parseConfig(JSON.stringify(config), {
    env: { HOME: dir, PATH: process.env["PATH"] ?? "" },
    cwd: dir,
  });
  const workbench = library.createWorkbench(settings);
  disposables.defer(() => workbench.close());
  const witness = (box: string, server: string): Witness =>
    new Witness(`${dir}/witness/${box}__${server}.jsonl`);
  return { workbench, witness };
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no failure",
    (error: unknown) => error,
  );

describe("a fixed argument", () => {
  it("cannot be changed by a key that resembles it", async () => {
    const overrides = { echo: { arguments: { text: "fixed" } } };
    const { workbench, witness } = await embed(cleanup, { fx: { ...fixture(), overrides } });
    await workbench.useTool(echo, { text: "other" });
    const refused = await failureOf(workbench.useTool(echo, { Text: "sneaky" }));
    expect(refused).toMatchObject({ code: "INVALID_PARAMETERS" });
    expect(witness("dev", "fx").callsOf("echo")).toHaveLength(1);
  });
});

describe("the result of a tool that failed", () => {
  it("is what the server returned, also if the arguments do not match", async () => {
    const { workbench } = await embed(cleanup, { fx: fixture() });
    const tool = { ...echo, name: "raw" };
    const json = '{"content":[{"type":"text","text":"bad"}],"isError":true}';
    expect(await workbench.useTool(tool, { json, jsn: 1 })).toEqual(JSON.parse(json));
  });
});

describe("the example of an embedded workbench", () => {
  it("runs against the built package by its own name, and leaves nothing behind", () => {
    const dir = temporaryFolder(cleanup);
    const { status, stdout, stderr } = runProgram(process.execPath, ["examples/embed/main.mjs"], {
      cwd: ROOT,
      env: { PATH: process.env["PATH"] ?? "", HOME: dir, TMPDIR: dir },
    });
    expect(stdout.trim().split("\n")).toEqual([
      // On a busy machine, the server may still be starting when the toolbox has been opened.
      expect.stringMatching(/^Toolbox dev: (1 server, [1-9]\d* tools|0 server, 0 tools)$/),
      "On disk: Buy ink.",
      "Read back: Buy ink.",
      "TOOL_NOT_FOUND: Tool 'delete_everything' not found in server 'filesystem' (toolbox 'dev')",
    ]);
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe("the library", () => {
  it("exports what it documents, and nothing else", () => {
    expect(Object.keys(library).sort()).toEqual([
      "CloseToolboxInputSchema",
      "ERRORS",
      "OpenToolboxInputSchema",
      "SearchToolsInputSchema",
      "ServerRpcError",
      "ToolIdentifierSchema",
      "UseToolInputSchema",
      "VERSION",
      "WorkbenchError",
      "createWorkbench",
      "formatToolName",
      "isWorkbenchError",
      "loadConfig",
      "parseConfig",
      "parseToolName",
      "resolveConfig",
    ]);
  });

  it("opens a toolbox, and reports the server that cannot be reached", async () => {
    const { workbench } = await embed(cleanup, { fx: fixture(), broken: MISSING_COMMAND });
    // However long it takes to start, it is connected after that.
    await workbench.useTool(echo, { text: "first" });
    const opened = await workbench.openToolbox("dev");
    expect(opened).toMatchObject({ toolbox: "dev", servers_connected: 1 });
    expect(opened.servers_failed?.map(({ server }) => server)).toEqual(["broken"]);
    expect(opened.tools.find(({ name }) => name === "echo")).toMatchObject({
      toolbox: "dev",
      server: "fx",
      inputSchema: { type: "object" },
    });
  });

  it("calls a tool of a toolbox that is not open", async () => {
    const { workbench } = await embed(cleanup, { fx: fixture() });
    const result = await workbench.useTool(echo, { text: "hello" });
    expect(JSON.stringify(result.content)).toContain("hello");
  });

  it("reports progress, and cancels a call", async () => {
    const { workbench, witness } = await embed(cleanup, { fx: fixture() });
    const received: unknown[] = [];
    await workbench.useTool(
      { ...echo, name: "progress" },
      { n: 3 },
      { onProgress: ({ progress }) => received.push(progress) },
    );
    expect(received).toEqual([1, 2, 3]);
    const controller = new AbortController();
    const stopped = failureOf(
      workbench.useTool(
        { ...echo, name: "sleep" },
        { ms: 3_600_000 },
        { signal: controller.signal },
      ),
    );
    const calls = (): number => witness("dev", "fx").messages("tools/call").length;
    await waitFor(() => calls() === 2, GENEROUS_MS, "the call to arrive");
    controller.abort(new Error("enough"));
    expect(await stopped).toMatchObject({ message: "enough" });
    const cancelled = (): number => witness("dev", "fx").messages("notifications/cancelled").length;
    await waitFor(() => cancelled() === 1, GENEROUS_MS, "the server to be notified");
  });

  it("throws workbench errors and the errors of servers", async () => {
    const { workbench } = await embed(cleanup, { fx: fixture() });
    const codes = await Promise.all(
      [
        workbench.openToolbox("production"),
        workbench.useTool({ ...echo, server: "database" }),
        workbench.useTool({ ...echo, name: "no_such_tool" }),
        workbench.useTool({ ...echo, name: "" }),
        workbench.closeToolbox("production"),
      ].map(failureOf),
    );
    expect(codes.map((error) => (library.isWorkbenchError(error) ? error.code : error))).toEqual([
      "TOOLBOX_NOT_FOUND",
      "SERVER_NOT_FOUND",
      "TOOL_NOT_FOUND",
      "INVALID_PARAMETERS",
      "TOOLBOX_NOT_FOUND",
    ]);
    const refused = await failureOf(workbench.useTool({ ...echo, name: "fail" }, { code: -32042 }));
    expect(refused).toBeInstanceOf(library.ServerRpcError);
  });

  it("rejects when a server asks for input, which a program without handlers cannot give", async () => {
    const asking = scriptServer(
      cleanup,
      `serve({
        ...modern({ tools: {} }),
        "tools/call": () => ({
          resultType: "input_required",
          inputRequests: {
            name: {
              method: "elicitation/create",
              params: { message: "Your name?", requestedSchema: { type: "object", properties: {} } },
            },
          },
          requestState: "waiting",
        }),
      });`,
    );
    const { workbench } = await embed(cleanup, { asking });
    const refused = await failureOf(
      workbench.useTool({ toolbox: "dev", server: "asking", name: "hello" }),
    );
    expect(refused).toBeInstanceOf(library.ServerRpcError);
    expect(refused).toMatchObject({ message: expect.stringContaining("elicitation/create") });
  });

  it("closes one toolbox without touching another, and everything at the end", async () => {
    const { workbench, witness } = await embed(cleanup, { fx: fixture() });
    await Promise.all([workbench.openToolbox("dev"), workbench.openToolbox("prod")]);
    // However long the servers take to start, they are connected after this.
    for (const box of ["dev", "prod"])
      await workbench.useTool({ ...echo, toolbox: box }, { text: "first" });
    const running = (box: string): boolean[] =>
      witness(box, "fx")
        .rows()
        .filter(({ event }) => event === "start")
        .map(({ pid }) => alive(pid));
    expect([running("dev"), running("prod")]).toEqual([[true], [true]]);
    await workbench.closeToolbox("dev");
    expect([running("dev"), running("prod")]).toEqual([[false], [true]]);
    await workbench.close();
    expect([running("dev"), running("prod")]).toEqual([[false], [false]]);
    const late = await failureOf(workbench.useTool(echo));
    expect(late).toMatchObject({ code: "WORKBENCH_CLOSED" });
  });
});
