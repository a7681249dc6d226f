/**
 * What the configuration can change in single tools, and what a client sees of it. In the full suite
 * because each case starts a workbench; `src/servers/tools` is in `npm test`.
 */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  callTool,
  failureOf,
  listTools,
  openToolbox,
  textOf,
  toolErrorOf,
  useTool,
} from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { namesOf, nativeTools } from "../support/native.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { runProgram } from "../support/run-program.ts";
import { searchAllServers } from "../support/search.ts";
import { type Config, dev, fixture, withOptions } from "../support/servers.ts";
import { PROGRAM, prepareWorkbench, startIn, startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();

const overrides = {
  echo: {
    name: "say",
    description: "Says what it is told to say.",
    arguments: { text: "always this" },
  },
  rich: { hidden: true },
  structured: { arguments: { value: { database: "prod_ro" } } },
};
const changed = (options: Record<string, unknown> = {}): Config =>
  dev({ fx: withOptions(fixture(), { overrides }) }, options);

describe("an overridden tool", () => {
  it("is listed with its new name and description, without the fixed arguments", async () => {
    const { client } = await startWorkbench(cleanup, changed());
    const { tools } = await openToolbox(client, "dev");
    const say = tools.find(({ name }) => name === "say");
    expect(say).toMatchObject({
      description: "Says what it is told to say.",
      inputSchema: { type: "object", properties: {}, required: [] },
      server: "fx",
    });
    expect(namesOf(tools)).not.toContain("echo");
    expect(namesOf(tools)).not.toContain("rich");
    expect(tools.find(({ name }) => name === "structured")).toMatchObject({
      title: "Structured answer",
      "x-definition": { unknown: ["fields", "are", "kept"] },
      inputSchema: { properties: {} },
    });
  });

  it("is called by its new name, and the server receives the original name and the fixed arguments", async () => {
    const workbench = await startWorkbench(cleanup, changed());
    const { client } = workbench;
    expect(textOf(await useTool(client, "dev/fx/say", {}))).toBe("always this");
    expect(textOf(await useTool(client, "dev/fx/say"))).toBe("always this");
    const [first] = workbench.witness("dev", "fx").callsOf("echo");
    expect(first?.params).toEqual({ name: "echo", arguments: { text: "always this" } });
  });

  it("ignores other values for its fixed arguments, however they are written", async () => {
    const workbench = await startWorkbench(cleanup, changed());
    const { client } = workbench;
    expect(textOf(await useTool(client, "dev/fx/say", { text: "something else" }))).toBe(
      "always this",
    );
    for (const args of [
      '{"te\\u0078t":"sneaky"}',
      '{"text":"sneaky","text":"twice"}',
      '{"Text":"sneaky"}',
    ]) {
      const answer = client.requestText(
        "tools/call",
        `{"name":"use_tool","arguments":{"tool":{"toolbox":"dev","server":"fx","name":"say"},"arguments":${args}}}`,
      );
      expect(toolErrorOf(await answer)).toMatch(/^Invalid parameters: /);
    }
    const calls = workbench.witness("dev", "fx").callsOf("echo");
    expect(calls.map(({ raw }) => raw).join("")).not.toMatch(/sneaky|twice|something else/);
  });

  it("cannot be called by its original name, nor at all when it is hidden", async () => {
    const { client } = await startWorkbench(cleanup, changed());
    expect(toolErrorOf(await useTool(client, "dev/fx/echo", { text: "x" }))).toMatch(
      /^Tool 'echo' not found in server 'fx' \(toolbox 'dev'\)/,
    );
    expect(toolErrorOf(await useTool(client, "dev/fx/rich"))).toMatch(/^Tool 'rich' not found/);
  });

  it("is found by its new name and description", async () => {
    const { client } = await startWorkbench(cleanup, changed());
    expect(await searchAllServers(client, "says what it is told", { limit: 1 })).toBe(
      "dev/fx/say() — Says what it is told to say",
    );
  });

  it("does not change the other tools of its server", async () => {
    const plain = await startWorkbench(cleanup, dev({ fx: fixture() }));
    const { client } = await startWorkbench(cleanup, changed());
    const before = await openToolbox(plain.client, "dev");
    const after = await openToolbox(client, "dev");
    const untouched = (name: string): boolean =>
      !["echo", "say", "rich", "structured"].includes(name);
    expect(after.tools.filter(({ name }) => untouched(name))).toEqual(
      before.tools.filter(({ name }) => untouched(name)),
    );
  });
});

describe("native mode with overrides", () => {
  it("lists and calls a renamed tool by its new name", async () => {
    const { client } = await startWorkbench(cleanup, changed({ toolMode: "dynamic" }));
    await openToolbox(client, "dev");
    const names = namesOf(await nativeTools(client));
    expect(names).toContain("dev__fx__say");
    expect(names).not.toContain("dev__fx__echo");
    expect(textOf(await callTool(client, "dev__fx__say", { text: "no" }))).toBe("always this");
    expect(failureOf(await callTool(client, "dev__fx__echo", {}))).toMatch(/^Unknown tool/);
  });
});

describe("the transparent view with overrides", () => {
  it("shows the server as the configuration changes it", async () => {
    const workbench = await startWorkbench(cleanup, changed(), {
      args: ["serve", "--server", "dev/fx"],
    });
    const { client } = workbench;
    const names = namesOf(await listTools(client));
    expect(names).toContain("say");
    expect(names).not.toContain("echo");
    expect(names).not.toContain("rich");
    expect(textOf(await callTool(client, "say", { text: "no" }))).toBe("always this");
    expect(failureOf(await callTool(client, "rich", {}))).toMatch(/^Tool 'rich' not found/);
    expect(workbench.witness("dev", "fx").callsOf("rich")).toEqual([]);
  });
});

describe("a mistake in overrides", () => {
  it("is reported with a suggestion, and stops nothing", async () => {
    const typo = { ecko: { hidden: true }, sleep: { arguments: { mss: 1 } } };
    const workbench = await startWorkbench(
      cleanup,
      dev({ fx: withOptions(fixture(), { overrides: typo }) }),
    );
    const { client } = workbench;
    expect(textOf(await useTool(client, "dev/fx/echo", { text: "still here" }))).toBe("still here");
    const problems = [
      "overrides: the server has no tool 'ecko'. Did you mean 'echo'?",
      "overrides: tool 'sleep' has no argument 'mss'. Did you mean 'ms'?",
    ];
    for (const problem of problems)
      await client.when(() => client.stderr.includes(problem), `the message ${problem}`);
    const { stdout } = runProgram(workbench.command, [PROGRAM, "status", "--json"], {
      env: workbench.env,
    });
    expect(stdout).toContain(JSON.stringify(problems[0]).slice(1, -1));
  });
});

describe("a change of overrides while the workbench runs", () => {
  it("takes effect without a restart of the server", async () => {
    const place = prepareWorkbench(cleanup, changed());
    const { client } = await startIn(cleanup, place);
    expect(textOf(await useTool(client, "dev/fx/say", {}))).toBe("always this");
    const next = { echo: { name: "say", arguments: { text: "from now on this" } } };
    place.writeConfig(dev({ fx: withOptions(fixture(), { overrides: next }) }));
    await waitFor(
      async () => textOf(await useTool(client, "dev/fx/say", {})) === "from now on this",
      GENEROUS_MS,
      "the new value",
    );
    expect(place.witness("dev", "fx").starts).toBe(1);
  });
});

describe("the example of two accounts", () => {
  it("shows each toolbox its own account, database and tools", async () => {
    const file = fileURLToPath(
      new URL("../../examples/two-accounts/workbench-config.json", import.meta.url),
    );
    const { client } = await startWorkbench(cleanup, dev({}), {
      args: ["serve", "--config", file],
    });
    const names = async (name: string): Promise<string[]> =>
      namesOf((await openToolbox(client, name)).tools);
    expect(await names("reports")).toEqual(["query", "list_tables"]);
    expect(await names("operations")).toEqual(["query_live", "list_tables", "delete_rows"]);
    const call = async (path: string, args: object): Promise<unknown> =>
      JSON.parse(textOf(await useTool(client, path, args)));
    expect(await call("reports/warehouse/query", { sql: "select 1", database: "prod" })).toEqual({
      account: "analyst",
      tool: "query",
      arguments: { sql: "select 1", database: "prod_ro" },
    });
    expect(await call("operations/warehouse/query_live", { sql: "select 1" })).toEqual({
      account: "operator",
      tool: "query",
      arguments: { sql: "select 1", database: "prod", timeout_s: 5 },
    });
  });
});
