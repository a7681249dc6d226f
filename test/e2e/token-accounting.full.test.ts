/**
 * What clients saved, counted from their calls. In the full suite because it starts several programs;
 * src/workbench/accounting counts the same in unit tests.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../src/text/estimate-tokens.ts";
import { callTool, listTools, textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import type { RawClient } from "../support/raw-client.ts";
import { searchAllServers } from "../support/search.ts";
import { type Config, dev, fixture, toolbox } from "../support/servers.ts";
import { type Place, prepareWorkbench, runCommand, startIn } from "../support/workbench.ts";

const cleanup = perTest();
const SECRET = "a-value-that-must-not-be-stored";
const LONG = `${SECRET} `.repeat(2000);
const ledgerOf = ({ env }: Place): string =>
  join(env["XDG_STATE_HOME"] ?? "", "mcp-workbench", "token-ledger.json");

interface Counts {
  readonly start: number;
  readonly search: number;
  readonly results: number;
  readonly scripts: number;
  readonly discovery: number;
  readonly saved: number;
}

interface Used {
  readonly since: string | null;
  readonly total: Counts;
  readonly entries: readonly ({ kind: string; client: string; toolbox: string | null } & Counts)[];
}

function used(place: Place): Used {
  return JSON.parse(runCommand(place, "tokens", "--used", "--json").stdout) as Used;
}

async function work(client: RawClient): Promise<void> {
  // As clients do: at the start, before anything is known about the servers.
  await listTools(client);
  await searchAllServers(client, "returns the given text", { limit: 1 });
  const script = `for (let i = 0; i < 20; i++)
    await call("dev/fx/echo", { text: "${SECRET} ".repeat(50) });
  return "done"`;
  expect(textOf(await callTool(client, "run_script", { script }))).toBe("done");
  const stored = textOf(await useTool(client, "dev/fx/echo", { text: LONG }));
  expect(stored.length).toBeLessThan(LONG.length);
}

/** Longer results are stored. */
const SHORT = { results: { limit: 10_000 } };

describe("token accounting", () => {
  const config = (options: Omit<Config, "toolboxes">): Config => dev({ fx: fixture() }, options);

  it("adds up what several processes count, by client and toolbox", async () => {
    const place = prepareWorkbench(cleanup, config({ countTokens: true, ...SHORT }));
    for (let i = 0; i < 2; i++) {
      const { client, stop } = await startIn(cleanup, place);
      await work(client);
      await stop();
      const { entries, total, since } = used(place);
      expect(since).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(entries).toHaveLength(2);
      expect(entries).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ kind: "client", client: "raw-client", toolbox: "dev" }),
          expect.objectContaining({ kind: "client", client: "raw-client", toolbox: null }),
        ]),
      );
      const runs = i + 1;
      // The text was an argument and a result of 20 calls.
      const inside = runs * 20 * 2 * estimateTokens(`${SECRET} `.repeat(50));
      expect(total.scripts).toBeGreaterThan(inside * 0.95);
      expect(total.scripts).toBeLessThan(inside * 1.1);
      const stored = runs * estimateTokens(LONG);
      expect(total.results).toBeGreaterThan(stored * 0.9);
      expect(total.results).toBeLessThan(stored * 1.1);
      expect(total.start).toBeGreaterThan(0);
      expect(total.search).toBeGreaterThan(0);
      expect(total.discovery).toBeGreaterThan(runs * 300);
      expect(total.saved).toBe(total.start + total.results + total.scripts - total.discovery);
    }
    expect(statSync(ledgerOf(place)).mode & 0o777).toBe(0o600);
    const stored = readFileSync(ledgerOf(place), "utf8");
    expect(stored).not.toMatch(/echo|text|value-that/);
    // The command line is no client.
    const called = runCommand(place, "call", "dev/fx/echo", `text=${SECRET}`);
    expect(called.stdout).toContain(SECRET);
    expect(readFileSync(ledgerOf(place), "utf8")).toBe(stored);
    const { stdout } = runCommand(place, "tokens", "--used");
    expect(stdout).toContain("client raw-client");
    expect(stdout).toContain("saved: at start + results + scripts - discovery");
  });

  it("has the numbers that follow from what the client wrote and read", async () => {
    const two = { dev: toolbox({ fx: fixture() }), ops: toolbox({ fx: fixture() }) };
    const place = prepareWorkbench(cleanup, { countTokens: true, ...SHORT, toolboxes: two });
    // What is known about the servers is counted at the start.
    const costs = JSON.parse(runCommand(place, "tokens", "--json").stdout) as {
      toolboxes: { name: string; direct: number; open: { full: number } }[];
    };
    const [directDev = 0, directOps = 0] = costs.toolboxes.map(({ direct }) => direct);
    const { client, hello, stop } = await startIn(cleanup, place);
    const listed = await client.request("tools/list", {});
    const query = { query: "returns the given text", limit: 1, toolbox: "dev" };
    const found = textOf(await callTool(client, "search_tools", query));
    const opened = textOf(await callTool(client, "open_toolbox", { toolbox: "ops" }));
    const script = `const texts = [];
    for (const text of ["one", "two", "three"]) texts.push(await call("dev/fx/echo", { text }));
    texts.push(await tools.ops.fx.echo({ text: "four" }));
    return texts.length;`;
    const returned = textOf(await callTool(client, "run_script", { script }));
    const sent = textOf(await useTool(client, "ops/fx/echo", { text: LONG }));
    await stop();

    const tokens = (...texts: unknown[]): number =>
      texts
        .map((text) => estimateTokens(typeof text === "string" ? text : JSON.stringify(text)))
        .reduce((sum, count) => sum + count, 0);
    const inDev = tokens(
      { text: "one" },
      "one",
      { text: "two" },
      "two",
      { text: "three" },
      "three",
    );
    const inOps = tokens({ text: "four" }, "four");
    const cost = tokens({ script }, returned);
    const none = { start: 0, search: 0, results: 0, scripts: 0, discovery: 0 };
    const searched = tokens(query, found);
    const own = { kind: "client", client: "raw-client" };
    const expected = [
      {
        ...own,
        toolbox: "dev",
        ...none,
        start: directDev,
        search: (costs.toolboxes[0]?.open.full ?? 0) - searched,
        scripts: Math.round(inDev - (cost * inDev) / (inDev + inOps)),
        discovery: searched,
      },
      {
        ...own,
        toolbox: "ops",
        ...none,
        start: directOps,
        results: tokens(LONG) - tokens(sent),
        scripts: Math.round(inOps - (cost * inOps) / (inDev + inOps)),
        discovery: tokens({ toolbox: "ops" }, opened),
      },
    ];
    const { entries, total } = used(place);
    const saved = (counts: Omit<Counts, "saved">): number =>
      counts.start + counts.results + counts.scripts - counts.discovery;
    expect(new Set(entries.filter((entry) => entry.toolbox !== null))).toEqual(
      new Set(expected.map((one) => ({ ...one, saved: saved(one) }))),
    );
    const start = entries.find((entry) => entry.toolbox === null) ?? { ...none, saved: 0 };
    // The example in the instructions is counted with other names.
    const listing = tokens(listed.result, hello.instructions);
    expect(Math.abs(start.discovery - listing)).toBeLessThan(10);
    expect(start).toMatchObject({ ...none, discovery: start.discovery, saved: -start.discovery });
    expect(total.saved).toBe(entries.reduce((sum, one) => sum + one.saved, 0));
  });

  it("counts nothing unless it is turned on", async () => {
    const place = prepareWorkbench(cleanup, config(SHORT));
    const { client, stop } = await startIn(cleanup, place);
    await work(client);
    await stop();
    expect(existsSync(ledgerOf(place))).toBe(false);
    expect(runCommand(place, "tokens", "--used").stdout).toContain('"countTokens": true');
  });
});
