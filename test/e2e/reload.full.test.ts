/**
 * What clients notice of a configuration that changes while the program runs. In the full suite because
 * each case starts several programs; S-26 of the torture scenarios is in `npm test`.
 */
import { execFileSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { failureOf, listTools, openToolbox, textOf, useTool } from "../support/calls.ts";
import { MODERN_META } from "../support/channel-client.ts";
import { perTest } from "../support/disposables.ts";
import { changes } from "../support/native.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type Response } from "../support/raw-client.ts";
import {
  type Config,
  fixture,
  type Servers,
  type Toolbox,
  toolbox,
  withOptions,
} from "../support/servers.ts";
import { type RunningWorkbench, startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();

/** Two toolboxes, of which `dev` has these servers. */
function configOf(servers: Servers, more: Omit<Config, "toolboxes"> = {}): Config {
  const toolboxes = { dev: toolbox(servers), ops: toolbox({ fx: fixture() }, "Deployments") };
  return { log: { level: "info" }, ...more, toolboxes };
}

function start(config: Config, ...shown: string[]): Promise<RunningWorkbench> {
  return startWorkbench(cleanup, config, { args: ["serve", ...shown] });
}

const count = (text: string, part: string): number => text.split(part).length - 1;

/** Writes a configuration and waits until it is in effect. */
async function apply({ client, writeConfig }: RunningWorkbench, config: Config): Promise<void> {
  const applied = (): number => count(client.stderr, "configuration applied");
  const before = applied();
  writeConfig(config);
  await client.when(() => applied() > before, "the configuration to be applied");
}

/**
 * How many list_changed notifications a client gets when the configuration becomes each of these in
 * turn. One more change that it must be notified of makes sure that nothing is still on its way.
 */
async function notifications(workbench: RunningWorkbench, ...configs: Config[]): Promise<number> {
  const { client } = workbench;
  const before = changes(client);
  for (const config of configs) await apply(workbench, config);
  const last = configs.at(-1) as Config;
  const extra = { extra: toolbox({ fx: fixture() }, "The last change") };
  await apply(workbench, { ...last, toolboxes: { ...last.toolboxes, ...extra } });
  await client.when(() => changes(client) > before, "word of the last change");
  const isListed = async (): Promise<boolean> =>
    JSON.stringify(await listTools(client)).includes("extra");
  await waitFor(isListed, GENEROUS_MS, "the last change to be listed");
  return changes(client) - before - 1;
}

describe("a client of one server (--server)", () => {
  it("gets an error while the server is not configured, and is served again afterwards", async () => {
    const both = configOf({ fx: fixture(), other: fixture() });
    const workbench = await start(both, "--server", "dev/fx");
    const { client } = workbench;
    const echo = (text: string): Promise<Response> =>
      client.request("tools/call", { name: "echo", arguments: { text } });
    expect(textOf(await echo("there"))).toBe("there");
    const { ops } = both.toolboxes;
    const without = [
      configOf({ other: fixture() }),
      { ...both, toolboxes: { ops: ops as Toolbox } },
    ];
    for (const [i, config] of without.entries()) {
      await apply(workbench, config);
      expect(failureOf(await echo("gone"))).toBe(
        "Failed to connect to server 'fx' in toolbox 'dev': it is no longer in the configuration",
      );
      await client.when(() => changes(client) > 2 * i, "word of its end");
      await apply(workbench, both);
      expect(textOf(await echo("back"))).toBe("back");
      await client.when(() => changes(client) > 2 * i + 1, "word of its return");
    }
    expect(changes(client)).toBe(4);
  });
});

// Windows has no named pipes in the file system.
describe.skipIf(process.platform === "win32")(
  "a named pipe in place of the configuration file",
  () => {
    it("is reported and changes nothing", async () => {
      const workbench = await start(configOf({ fx: fixture() }));
      const { client, configFile } = workbench;
      await openToolbox(client, "dev");
      execFileSync("mkfifo", [`${configFile}.pipe`]);
      renameSync(`${configFile}.pipe`, configFile);
      await client.when(() => client.stderr.includes("not a regular file"), "the report");
      expect(textOf(await useTool(client, "dev/fx/echo", { text: "served" }))).toBe("served");
      rmSync(configFile);
      await apply(workbench, configOf({ fx: fixture(), new: fixture() }));
      expect(textOf(await useTool(client, "dev/new/echo", { text: "new" }))).toBe("new");
    });
  },
);

describe("tools/list_changed after a change of the configuration", () => {
  const filtered = withOptions(fixture(), { toolFilters: ["echo", "status"] });
  const renamed = withOptions(filtered, { overrides: { echo: { name: "say" } } });

  it("is not sent while the meta-tools stay the same", async () => {
    const workbench = await start(configOf({ fx: fixture() }));
    const { client } = workbench;
    await openToolbox(client, "dev");
    const list = async (): Promise<string> => JSON.stringify(await listTools(client));
    const before = await list();
    const disabled = withOptions(fixture(), { disabled: true });
    const { client: unasked } = await start(configOf({ fx: fixture() }));
    expect(
      await notifications(
        workbench,
        configOf({ fx: filtered }),
        configOf({ fx: renamed }),
        configOf({ fx: renamed, other: disabled }),
        configOf({ other: disabled, fx: renamed }),
        configOf({ fx: withOptions(renamed, { env: { CHANGED: "1" } }) }, { toolMode: "dynamic" }),
        configOf({ fx: fixture() }),
      ),
    ).toBe(0);
    expect(changes(unasked)).toBe(0);
    await apply(workbench, configOf({ fx: fixture() }));
    expect(await list()).toBe(before);
  });

  it("is sent once when agents see other servers in a toolbox", async () => {
    const workbench = await start(configOf({ fx: fixture() }));
    await listTools(workbench.client);
    expect(await notifications(workbench, configOf({ fx: fixture(), other: fixture() }))).toBe(1);
  });

  it("is sent once for each change of native tools", async () => {
    const workbench = await start(configOf({ fx: fixture() }, { toolMode: "dynamic" }));
    const { client, witness } = workbench;
    await openToolbox(client, "dev");
    const listings = (): number => witness("dev", "fx").messages("tools/list").length;
    for (const fx of [filtered, renamed]) {
      const [before, listed] = [changes(client), listings()];
      await apply(workbench, configOf({ fx }, { toolMode: "dynamic" }));
      await client.when(() => changes(client) > before, "word of the change");
      await listTools(client);
      expect(changes(client) - before).toBe(1);
      expect(listings()).toBe(listed);
    }
    expect((await listTools(client)).map(({ name }) => name)).toContain("dev__fx__say");
    const more = { toolMode: "dynamic" } as const;
    // Another limit of the list means that the server is asked again, which changes nothing here.
    const [before, listed] = [changes(client), listings()];
    const limits = { tools: 9000 };
    await apply(workbench, configOf({ fx: withOptions(renamed, { limits }) }, more));
    await waitFor(() => listings() > listed, GENEROUS_MS, "the server to be asked again");
    await listTools(client);
    expect(changes(client)).toBe(before);
    const env = withOptions(renamed, { env: { CHANGED: "1" } });
    expect(
      await notifications(workbench, configOf({ fx: env }, more), configOf({ fx: renamed }, more)),
    ).toBe(0);
  });

  it("is sent when a server of an open toolbox is disabled and enabled", async () => {
    const more = { toolMode: "dynamic" } as const;
    const both = configOf({ fx: fixture(), other: fixture() }, more);
    const workbench = await start(both);
    const { client } = workbench;
    await openToolbox(client, "dev");
    const names = async (): Promise<string[]> =>
      (await listTools(client))
        .map(({ name }) => name)
        .filter((name) => name.startsWith("dev__fx"));
    const all = await names();
    expect(all).not.toEqual([]);
    const before = changes(client);
    const off = withOptions(fixture(), { disabled: true });
    await apply(workbench, configOf({ fx: off, other: fixture() }, more));
    await client.when(() => changes(client) > before, "word of their end");
    expect(await names()).toEqual([]);
    await openToolbox(client, "dev");
    expect(await names()).toEqual([]);
    await apply(workbench, both);
    await client.when(() => changes(client) > before + 1, "word of their return");
    expect(await names()).toEqual(all);
    await apply(workbench, configOf({ fx: off, other: fixture() }, more));
    await client.when(() => changes(client) > before + 2, "word of their end");
    expect(await notifications(workbench, configOf({ other: fixture() }, more))).toBe(0);
    expect(await names()).toEqual([]);
  });

  it("is not sent for toolboxes and servers that the client does not see", async () => {
    const { client: scoped, ...rest } = await start(
      configOf({ fx: fixture() }),
      "--toolbox",
      "dev",
    );
    const workbench = { client: scoped, ...rest };
    await listTools(scoped);
    const other = configOf({ fx: fixture() });
    await apply(workbench, {
      ...other,
      toolboxes: { ...other.toolboxes, ops: toolbox({ fx: fixture() }, "Something else") },
    });
    const dev = toolbox({ fx: fixture() }, "Seen");
    await apply(workbench, { ...other, toolboxes: { ...other.toolboxes, dev } });
    await scoped.when(() => changes(scoped) > 0, "word of what it sees");
    await listTools(scoped);
    expect(changes(scoped)).toBe(1);
  });

  it("is sent once for each change to a client of one server", async () => {
    const workbench = await start(configOf({ fx: fixture() }), "--server", "dev/fx");
    const { client } = workbench;
    const echo = async (): Promise<unknown> =>
      client.request("tools/call", { name: "echo", arguments: { text: "x" } });
    await echo();
    const env = { env: { CHANGED: "1" } };
    await apply(workbench, configOf({ fx: withOptions(fixture(), env) }));
    await echo();
    await apply(workbench, configOf({ fx: withOptions(fixture(), env) }, { toolMode: "dynamic" }));
    await apply(workbench, configOf({ fx: withOptions(filtered, env) }));
    await client.when(() => changes(client) > 0, "word of the filter");
    expect(await listTools(client)).toHaveLength(2);
    await apply(workbench, configOf({ fx: withOptions(renamed, env) }));
    await client.when(() => changes(client) > 1, "word of the name");
    await listTools(client);
    expect(changes(client)).toBe(2);
  });
});

describe("a changed toolMode", () => {
  it("applies to modern requests at once, and to legacy clients when they connect", async () => {
    const workbench = await start(configOf({ fx: fixture() }));
    const { client } = workbench;
    const modern = async (): Promise<string> =>
      (await client.request("tools/list", { _meta: MODERN_META })).line;
    expect(await modern()).not.toContain("dev__fx__echo");
    // Its tools are known from now on: a list waits only a few seconds for those of other servers.
    await openToolbox(client, "dev");
    const before = JSON.stringify(await listTools(client));
    await apply(workbench, configOf({ fx: fixture() }, { toolMode: "dynamic" }));
    await client.when(() => client.stderr.includes("from now on"), "the warning");
    expect(client.stderr).toContain('toolMode "dynamic" takes effect for clients that connect');
    expect(await modern()).toContain("dev__fx__echo");
    expect(JSON.stringify(await listTools(client))).toBe(before);
  });
});
