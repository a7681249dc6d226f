/**
 * Token costs for an agent, measured with a real tokenizer on the output of the program. In the
 * full suite because it starts many servers for each case; the estimates themselves have unit
 * tests.
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { beforeAll, describe, expect, it } from "vitest";
import { type Tool, callTool, openToolbox, searchTools, textOf } from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { memberText } from "../support/json-text.ts";
import { type Config, dev, fixture, publicServer, toolbox } from "../support/servers.ts";
import type { RawClient } from "../support/raw-client.ts";
import {
  prepareWorkbench,
  type RunningWorkbench,
  runCommand,
  startWorkbench,
} from "../support/workbench.ts";

const cleanup = perTest();

const PURPOSES = [
  "Local development: files, notes and everything else that is needed every day, by everybody",
  "Production systems of the whole company: deployments, incidents, dashboards and alerts",
  "Invoices, customers, contracts and whatever else the back office works with",
  "Calendars, documents, mail and meetings of all teams, in all offices, at all times",
];
const KEYWORDS = ["git", "deploy", "rollback", "invoice", "calendar"];

function boxes(count: number, servers: number, options: object = {}): Config {
  const box = (i: number) => ({
    ...toolbox(
      Object.fromEntries(Array.from({ length: servers }, (_, s) => [`server-${s}`, fixture()])),
      PURPOSES[i % PURPOSES.length],
    ),
    keywords: KEYWORDS,
  });
  const named = Array.from({ length: count }, (_, i) => [`toolbox-${i}`, box(i)] as const);
  return { ...options, toolboxes: Object.fromEntries(named) };
}

async function startTokens({ client, hello }: RunningWorkbench): Promise<number> {
  const { result } = await client.request("tools/list", {});
  // Clients keep `_meta` to themselves.
  const tools = (result as { tools: Tool[] }).tools.map((tool) => ({ ...tool, _meta: undefined }));
  return countTokens(JSON.stringify(tools)) + countTokens(hello.instructions ?? "");
}

const started = async (config: Config): Promise<number> =>
  startTokens(await startWorkbench(cleanup, config));

describe.each(["proxy", "dynamic"])("the start of a conversation in %s mode", (toolMode) => {
  it("costs at most 800 tokens with four toolboxes and 40 for each further one", async () => {
    const four = await started(boxes(4, 5, { toolMode }));
    expect(four).toBeLessThanOrEqual(800);
    const ten = await started(boxes(10, 5, { toolMode }));
    expect((ten - four) / 6).toBeLessThanOrEqual(40);
  });

  it("costs the same however many tools there are, and at most 800 with 20 servers each", async () => {
    const few = await started(boxes(4, 9, { toolMode }));
    const many = await started(boxes(4, 19, { toolMode }));
    expect(many).toBeLessThanOrEqual(800);
    // Only the number of servers that are not named has grown.
    expect(Math.abs(many - few)).toBeLessThanOrEqual(4);
  });
});

describe("the start of a conversation with all meta-tools", () => {
  it("costs at most 800 tokens with four toolboxes", async () => {
    const four = await started(boxes(4, 5, { readTool: true }));
    const without = await started(boxes(4, 5));
    expect(four).toBeGreaterThan(without);
    expect(four).toBeLessThanOrEqual(800);
  });
});

describe("opening a toolbox", () => {
  const config = dev({ every: publicServer("everything"), memory: publicServer("memory") });
  const shared = perBlock();
  let plain: RawClient;
  beforeAll(async () => {
    plain = (await startWorkbench(shared, config)).client;
  });

  it("costs fewer tokens with less detail", async () => {
    const cost = async (detail?: string): Promise<number> =>
      countTokens(textOf(await callTool(plain, "open_toolbox", { toolbox: "dev", detail })));
    const full = await cost();
    const signatures = await cost("signatures");
    const names = await cost("names");
    expect(await cost("full")).toBe(full);
    expect(signatures).toBeLessThan(full / 3);
    expect(names).toBeLessThan(signatures / 3);
  });

  it("explains how to get less above the configured budget, and omits nothing", async () => {
    const { client } = await startWorkbench(cleanup, { ...config, openBudgetTokens: 500 });
    const { hint, ...rest } = (await openToolbox(client, "dev")) as unknown as { hint: string };
    expect(rest).toEqual(await openToolbox(plain, "dev"));
    expect(hint).toMatch(
      /more than the budget of 500\. For less, use open_toolbox with detail "signatures"/,
    );
    const less = textOf(
      await callTool(client, "open_toolbox", { toolbox: "dev", detail: "signatures" }),
    );
    const promised = Number(/"signatures" \(about (\d+) tokens\)/.exec(hint)?.[1]);
    expect(Math.abs(promised - countTokens(less)) / promised).toBeLessThan(0.15);
  });

  it("returns names that lead to a schema in one step", async () => {
    const answer = JSON.parse(
      textOf(await callTool(plain, "open_toolbox", { toolbox: "dev", detail: "names" })),
    ) as { tools: Record<string, string[]> };
    for (const [server, names] of Object.entries(answer.tools))
      for (const name of names) {
        const found = await searchTools(plain, name, { limit: 1, detail: "schema" });
        expect(JSON.parse(found)).toMatchObject({ name, server, toolbox: "dev" });
      }
  });
});

describe("mcp-workbench tokens", () => {
  it("prints what each toolbox and server costs, and what a direct connection would", async () => {
    const place = prepareWorkbench(cleanup, {
      toolboxes: {
        dev: toolbox({ fx: fixture() }, "Files"),
        notes: toolbox({ memory: publicServer("memory") }, "Facts"),
      },
    });
    const { code, stdout } = runCommand(place, "tokens", "--json");
    expect(code).toBe(0);
    const costs = JSON.parse(stdout) as {
      start: number;
      direct: number;
      counting: string;
      toolboxes: { name: string; direct: number; servers: { name: string; direct: number }[] }[];
    };
    const workbench = await startWorkbench(cleanup, {
      toolboxes: { dev: toolbox({ fx: fixture() }, "Files"), notes: toolbox({}, "Facts") },
    });
    const measured = await startTokens(workbench);
    expect(Math.abs(costs.start - measured) / measured).toBeLessThan(0.15);
    const direct = await directTokens();
    const [, notes] = costs.toolboxes;
    expect(Math.abs((notes?.direct ?? 0) - direct) / direct).toBeLessThan(0.15);
    expect(costs.direct).toBe(costs.toolboxes.reduce((sum, box) => sum + box.direct, 0));
    expect(costs.toolboxes).toMatchObject([
      { name: "dev", search: {}, open: {}, servers: [{ name: "fx", tools: 36, open: {} }] },
      { name: "notes", tools: 9, servers: [{ name: "memory" }] },
    ]);
    expect(costs.counting).toContain("o200k");
  });

  it("prints a table for people, and how it was counted", () => {
    const place = prepareWorkbench(cleanup, dev({ fx: fixture() }));
    const { stdout } = runCommand(place, "tokens");
    expect(stdout).toMatch(/tools +at start +open: full +signatures +names +search +direct\n/);
    expect(stdout).toMatch(/\ndev +36 +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+\n {2}fx /);
    expect(stdout).toContain("Estimated for the o200k vocabulary");
  });
});

/** The tool list of the memory server as a client gets it without a workbench. */
async function directTokens(): Promise<number> {
  const { client, hello } = await startWorkbench(
    cleanup,
    { toolboxes: { notes: toolbox({ memory: publicServer("memory") }) } },
    { args: ["serve", "--server", "notes/memory"] },
  );
  const { line } = await client.request("tools/list", {});
  return countTokens(memberText(line, "result") ?? "") + countTokens(hello.instructions ?? "");
}
