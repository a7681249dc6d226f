/** What an agent relies on when it calls a tool: where the call goes, and how a failure is reported. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ODD_NAMES, SHADOWING_NAMES } from "../fixtures/tool-definitions.mjs";
import {
  callTool,
  failureOf,
  fixtureStatus,
  openToolbox,
  resultOf,
  textOf,
  toolErrorOf,
  useTool,
} from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { type Config, dev, fixture, MISSING_COMMAND, toolbox } from "../support/servers.ts";
import { type RunningWorkbench, startWorkbench, temporaryFolder } from "../support/workbench.ts";

describe("calling a tool", () => {
  const cleanup = perTest();

  it("needs no open toolbox, and connects only the server it needs", async () => {
    const workbench = await startWorkbench(cleanup, {
      toolboxes: {
        dev: toolbox({ one: fixture("--name", "one"), two: fixture("--name", "two") }),
        ops: toolbox({ one: fixture("--name", "ops-one") }),
      },
    });
    const { name } = await fixtureStatus(workbench.client, "dev/two");
    expect(name).toBe("two");
    expect(workbench.witness("dev", "two").starts).toBe(1);
    expect(workbench.witness("dev", "one").starts).toBe(0);
    expect(workbench.witness("ops", "one").starts).toBe(0);
  });

  it("reaches the same process before and after the toolbox is opened", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    const first = await fixtureStatus(client, "dev/fx");
    await openToolbox(client, "dev");
    expect((await fixtureStatus(client, "dev/fx")).pid).toBe(first.pid);
  });

  it("reaches the named server when two of a toolbox have the same tool", async () => {
    const { client } = await startWorkbench(
      cleanup,
      dev({ one: fixture("--name", "one"), two: fixture("--name", "two") }),
    );
    const [one, two] = await Promise.all([
      fixtureStatus(client, "dev/one"),
      fixtureStatus(client, "dev/two"),
    ]);
    expect([one.name, two.name]).toEqual(["one", "two"]);
    expect(one.pid).not.toBe(two.pid);
  });

  it("is not delayed by another server of the toolbox that does not start", async () => {
    const go = join(temporaryFolder(cleanup), "go");
    const workbench = await startWorkbench(
      cleanup,
      dev({ slow: fixture("--wait-for", go), quick: fixture(), missing: MISSING_COMMAND }),
    );
    const opening = openToolbox(workbench.client, "dev");
    await waitFor(
      () => workbench.witness("dev", "slow").starts === 1,
      GENEROUS_MS,
      "the slow server",
    );
    expect(textOf(await useTool(workbench.client, "dev/quick/echo", { text: "now" }))).toBe("now");
    writeFileSync(go, "");
    expect((await opening).servers_connected).toBe(2);
  });

  it("works without arguments", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
    await useTool(workbench.client, "dev/fx/tool_error");
    await useTool(workbench.client, "dev/fx/tool_error", {});
    const calls = workbench.witness("dev", "fx").callsOf("tool_error");
    expect(calls.map(({ params }) => params?.arguments ?? {})).toEqual([{}, {}]);
  });

  it("reaches every tool, whatever it is called", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    for (const name of [...ODD_NAMES, ...SHADOWING_NAMES]) {
      const tool = { toolbox: "dev", server: "fx", name };
      const answer = textOf(await callTool(client, "use_tool", { tool, arguments: { n: 1 } }));
      expect(JSON.parse(answer)).toMatchObject({ ran: name, arguments: { n: 1 } });
    }
  });

  it("finds a tool that its server has added in the meantime", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    expect(textOf(await useTool(client, "dev/fx/change_list", {}))).toBe("added_1");
    await waitFor(
      async () => (await useTool(client, "dev/fx/added_1", {})).line.includes('\\"ran\\"'),
      GENEROUS_MS,
      "the new tool to be callable",
    );
    const { tools } = await openToolbox(client, "dev");
    expect(tools.map(({ name }) => name)).toContain("added_1");
  });

  it("no longer finds a tool that its server removed", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    await useTool(client, "dev/fx/change_list", { remove: "echo" });
    const refused = await waitFor(
      async () => {
        const response = await useTool(client, "dev/fx/echo", { text: "x" });
        // Until the list was read again, it is the server that refuses.
        return response.error === undefined && resultOf(response).isError === true && response;
      },
      GENEROUS_MS,
      "the tool to be gone",
    );
    expect(toolErrorOf(refused)).toMatch(/^Tool 'echo' not found in server 'fx'/);
  });

  it("fails with a reason when the server cannot be reached", async () => {
    const { client } = await startWorkbench(
      cleanup,
      dev({ missing: MISSING_COMMAND, dying: fixture("--die", "before-init") }),
    );
    expect(failureOf(await useTool(client, "dev/missing/echo", {}))).toMatch(
      /^Failed to connect to server 'missing' in toolbox 'dev': .*no-such-program-anywhere/,
    );
    expect(failureOf(await useTool(client, "dev/dying/echo", {}))).toMatch(
      /^Failed to connect to server 'dying' in toolbox 'dev': .*reason 30 of 30/,
    );
  });
});

describe("a call of use_tool that makes no sense", () => {
  const cleanup = perBlock();
  const config: Config = {
    toolboxes: {
      dev: toolbox({ filesystem: fixture(), notes: fixture() }),
      production: toolbox({ filesystem: fixture() }),
    },
  };
  let workbench: RunningWorkbench;
  beforeAll(async () => {
    workbench = await startWorkbench(cleanup, config);
  });

  const tool = { toolbox: "dev", server: "filesystem", name: "echo" };
  const oldSpelling = { toolbox: "dev", server: "filesystem", tool: "echo" };

  it.each<[string, unknown, RegExp]>([
    ["nothing", undefined, /^Invalid parameters: tool: .*Required/],
    ["an empty object", {}, /^Invalid parameters: tool: .*Required/],
    [
      "an empty identifier",
      { tool: {} },
      /^Invalid parameters: tool\.toolbox: .*Required.*; tool\.server: .*Required.*; tool\.name: .*Required/,
    ],
    [
      "empty names",
      { tool: { toolbox: "", server: "", name: "" } },
      /^Invalid parameters: tool\.toolbox: Toolbox name cannot be empty; tool\.server: Server name cannot be empty; tool\.name: Tool name cannot be empty/,
    ],
    ["a missing name", { tool: { toolbox: "dev", server: "notes" } }, /: tool\.name: .*Required/],
    ["a name that is a number", { tool: { ...tool, name: 7 } }, /: tool\.name: .*string.*number/],
    ["a flat string", { tool: "echo" }, /^Invalid parameters: tool: .*object.*string/],
    ["an identifier that is a list", { tool: ["dev"] }, /^Invalid parameters: tool: .*object/],
    [
      "the older spelling tool.tool",
      { tool: oldSpelling },
      /^Invalid parameters: .*tool\.tool.*name/,
    ],
    [
      "tool.tool beside name",
      { tool: { ...tool, tool: "x" } },
      /tool\.tool: Unrecognized key.*name/,
    ],
    ["a further key inside", { tool: { ...tool, extra: 1 } }, /^Invalid parameters: .*tool\.extra/],
    ["a further key outside", { tool, args: {} }, /^Invalid parameters: .*args/],
    ["arguments that are a string", { tool, arguments: "{}" }, /: arguments: .*object.*string/],
    ["arguments that are a list", { tool, arguments: [1] }, /: arguments: .*object.*array/],
    ["arguments that are null", { tool, arguments: null }, /: arguments: .*object.*null/],
    [
      "the flat identifier of old",
      { toolbox_name: "dev", tool_name: "x" },
      /tool_name.*Unrecognized|Unrecognized.*tool_name|tool: .*Required/,
    ],
    [
      "several faults, reported together",
      { tool: { toolbox: "", server: 1 }, arguments: 5 },
      /tool\.toolbox: .*tool\.server: .*tool\.name: .*arguments: /,
    ],
  ])("is refused with the path of each fault: %s", async (_what, input, message) => {
    expect(toolErrorOf(await callTool(workbench.client, "use_tool", input))).toMatch(message);
  });

  const text = { text: "hello" };
  const path = "dev/notes/echo";
  const notes = { toolbox: "dev", server: "notes", name: "echo" };
  it.each<[string, unknown]>([
    ["a path", { tool: path, arguments: text }],
    ["a native name", { tool: "dev__notes__echo", arguments: text }],
    ["flattened keys", { ...notes, arguments: text }],
    ["arguments beside tool", { tool: notes, ...text }],
    ["arguments inside tool", { tool: { ...notes, arguments: text } }],
    ["arguments as JSON text", { tool: notes, arguments: JSON.stringify(text) }],
    ["tool as JSON text", { tool: JSON.stringify(notes), arguments: text }],
    ["one level too many", { arguments: { tool: notes, arguments: text } }],
    ["no toolbox", { tool: { server: "notes", name: "echo" }, arguments: text }],
    ["half a path", { tool: "notes/echo", arguments: text }],
    ["the wrong toolbox in a path", { tool: "production/notes/echo", arguments: text }],
    ["a path with a typo", { tool: "dev/ntoes/echo", arguments: text }],
    ["a path in another case", { tool: "Dev/Notes/echo", arguments: text }],
    ["other separators", { tool: "dev::notes::echo", arguments: text }],
    ["keys in another case", { Tool: notes, Arguments: text }],
  ])("is refused with the call that was meant, ready to be copied: %s", async (_what, input) => {
    const refused = toolErrorOf(await callTool(workbench.client, "use_tool", input));
    expect(refused).toMatch(/^Invalid parameters: .*\. Call use_tool with \{/);
    const [, call = ""] = /Call use_tool with (\{.*\})$/.exec(refused) ?? [];
    expect(JSON.parse(call)).toEqual({ tool: notes, arguments: text });
    expect(textOf(await callTool(workbench.client, "use_tool", JSON.parse(call)))).toBe("hello");
  });

  it.each<[string, unknown, string]>([
    [
      "a server in two toolboxes",
      { tool: "filesystem/echo" },
      'Call use_tool with {"tool":{"toolbox":"dev","server":"filesystem","name":"echo"},"arguments":{}}, or with another tool: {"toolbox":"production","server":"filesystem","name":"echo"}',
    ],
    [
      "a server that does not exist",
      { tool: "dev/database/echo" },
      "\"arguments\":{}}. Server 'database' not found in toolbox 'dev'. Available: filesystem, notes",
    ],
    [
      "nothing",
      {},
      'Call use_tool with {"tool":{"toolbox":"TOOLBOX","server":"SERVER","name":"TOOL"},"arguments":{}}. search_tools finds the names',
    ],
    [
      "long arguments",
      { tool: path, arguments: { text: "x".repeat(3000) } },
      'Call use_tool with "tool":{"toolbox":"dev","server":"notes","name":"echo"} and, in "arguments", the arguments that you sent, as one JSON object',
    ],
  ])("is refused with what is known about it: %s", async (_what, input, end) => {
    const refused = toolErrorOf(await callTool(workbench.client, "use_tool", input));
    expect(refused.slice(-end.length)).toBe(end);
  });

  it("is refused with every tool of that name if only the name is given", async () => {
    await openToolbox(workbench.client, "dev");
    const refused = toolErrorOf(await callTool(workbench.client, "use_tool", { tool: "echo" }));
    expect(refused).toMatch(
      /\{"toolbox":"dev","server":"filesystem","name":"echo"\}.*\{"toolbox":"dev","server":"notes","name":"echo"\}/,
    );
  });

  it("is refused with the call of use_tool if the tool is called by its own name", async () => {
    await openToolbox(workbench.client, "dev");
    for (const name of [path, "dev__notes__echo", "dev.notes.echo"]) {
      const message = failureOf(await callTool(workbench.client, name, text));
      expect(message).toBe(
        `Unknown tool: ${name}. Call use_tool with ${JSON.stringify({ tool: notes, arguments: text })}`,
      );
    }
    const message = failureOf(await callTool(workbench.client, "echo", text));
    expect(message).toContain('Call use_tool with {"tool":{"toolbox":"dev","server":');
    expect(message).toContain(JSON.stringify(notes));
  });

  it("is refused with the toolbox of the server", async () => {
    const { client } = workbench;
    const where = "Server 'notes' is in toolbox 'dev'";
    expect(toolErrorOf(await useTool(client, "production/notes/echo", {}))).toContain(where);
    for (const tool of ["open_toolbox", "search_tools"])
      expect(
        toolErrorOf(
          await callTool(client, tool, {
            toolbox: "notes",
            ...(tool === "search_tools" && { query: "x" }),
          }),
        ),
      ).toBe(`Toolbox 'notes' not found. ${where}`);
  });

  it("is refused with the toolboxes there are if open_toolbox names none", async () => {
    const { client } = workbench;
    expect(toolErrorOf(await callTool(client, "open_toolbox", {}))).toBe(
      "Invalid parameters: toolbox: Required (expected string). Available: dev, production",
    );
    expect(toolErrorOf(await callTool(client, "open_toolbox", { name: "dev" }))).toMatch(
      /\. Call open_toolbox with \{"toolbox":"dev"\}$/,
    );
  });

  it.each<[string, string, RegExp]>([
    ["toolbox", "staging/filesystem/echo", /^Toolbox 'staging' not found.*dev.*production/],
    [
      "misspelt toolbox",
      "productoin/filesystem/echo",
      /^Toolbox 'productoin' not found.*production/,
    ],
    ["built-in as toolbox", "__proto__/filesystem/echo", /^Toolbox '__proto__' not found/],
    [
      "server",
      "dev/database/echo",
      /^Server 'database' not found in toolbox 'dev'.*filesystem.*notes/,
    ],
    [
      "misspelt server",
      "dev/filesytem/echo",
      /^Server 'filesytem' not found in toolbox 'dev'.*filesystem/,
    ],
    [
      "server of another toolbox",
      "production/notes/echo",
      /^Server 'notes' not found in toolbox 'production'/,
    ],
    [
      "built-in as server",
      "dev/constructor/echo",
      /^Server 'constructor' not found in toolbox 'dev'/,
    ],
  ])("is refused without starting anything: unknown %s", async (_what, path, message) => {
    const running = workbench.servers().length;
    expect(toolErrorOf(await useTool(workbench.client, path, {}))).toMatch(message);
    expect(workbench.servers()).toHaveLength(running);
  });

  it.each<[string, RegExp]>([
    ["delete_all", /^Tool 'delete_all' not found in server 'filesystem' \(toolbox 'dev'\)/],
    ["ehco", /^Tool 'ehco' not found in server 'filesystem' \(toolbox 'dev'\).*echo/],
    ["valueOf", /^Tool 'valueOf' not found in server 'filesystem' \(toolbox 'dev'\)/],
    ["Echo", /^Tool 'Echo' not found in server 'filesystem' \(toolbox 'dev'\).*echo/],
  ])("is refused without a request to the server: unknown tool %s", async (name, message) => {
    const response = await useTool(workbench.client, `dev/filesystem/${name}`, {});
    expect(toolErrorOf(response)).toMatch(message);
    expect(workbench.witness("dev", "filesystem").callsOf(name)).toEqual([]);
  });

  it("is refused when it names no tool of the workbench", async () => {
    const message = failureOf(await callTool(workbench.client, "no_such_tool", {}));
    expect(message).toContain("no_such_tool");
  });

  it("does not disturb later calls", async () => {
    expect(textOf(await useTool(workbench.client, "dev/filesystem/echo", { text: "ok" }))).toBe(
      "ok",
    );
  });
});
