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
import { type Config, dev, fixture } from "../support/servers.ts";
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

  it("counts nothing unless it is turned on", async () => {
    const place = prepareWorkbench(cleanup, config(SHORT));
    const { client, stop } = await startIn(cleanup, place);
    await work(client);
    await stop();
    expect(existsSync(ledgerOf(place))).toBe(false);
    expect(runCommand(place, "tokens", "--used").stdout).toContain('"countTokens": true');
  });
});
