import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validConfig } from "../../test/support/config-arbitraries.ts";
import { diffSettings } from "./diff.ts";
import { resolveConfig } from "./load.ts";
import type { WorkbenchConfig } from "./schema.ts";
import type { WorkbenchSettings } from "./types.ts";

function settings(config: WorkbenchConfig): Promise<WorkbenchSettings> {
  return resolveConfig(config, { env: {}, cwd: "/" });
}

const BASE: WorkbenchConfig = {
  toolboxes: {
    dev: {
      description: "d",
      mcpServers: {
        a: { command: "a", env: { X: "1", Y: "2" } },
        b: { url: "https://b", headers: { H: "1", I: "2" } },
      },
    },
  },
};

/** What changes when this is done to the configuration above. */
async function changeOf(edit: (config: typeof BASE) => void) {
  const next = structuredClone(BASE);
  edit(next);
  return diffSettings(await settings(BASE), await settings(next));
}
type Server = Record<string, unknown>;
const server = (config: WorkbenchConfig, name: string): Server =>
  config.toolboxes["dev"]?.mcpServers[name] as unknown as Server;

describe("diffSettings", () => {
  it("restarts a server that only one replica may run from now on", async () => {
    const { restart } = await changeOf((config) => (server(config, "a")["placement"] = "one"));
    expect(restart).toHaveLength(1);
  });

  it("restarts a server for a different secret command, not for other limits of the same", async () => {
    const withCommand = (command: object): Promise<WorkbenchSettings> => {
      const config = structuredClone(BASE);
      server(config, "a")["env"] = { X: "${command:x}" };
      const all = { ...config, secretCommands: { x: command } } as WorkbenchConfig;
      return resolveConfig(all, { env: {}, cwd: "/" });
    };
    const old = await withCommand({ command: ["print", "a"] });
    const limits = { timeoutMs: 5, cacheMs: 7 };
    const sameCommand = await withCommand({ command: ["print", "a"], ...limits });
    const otherCommand = await withCommand({ command: ["print", "b"], ...limits });
    const unchanged = diffSettings(old, old).restart;
    expect(diffSettings(old, sameCommand).restart).toEqual(unchanged);
    expect(diffSettings(old, otherCommand).restart).not.toEqual(unchanged);
  });

  it("reports added and removed servers", async () => {
    const diff = await changeOf((config) => {
      const servers = config.toolboxes["dev"]?.mcpServers ?? {};
      delete servers["a"];
      servers["c"] = { command: "c" };
    });
    expect(diff).toEqual({
      added: ["dev/c"],
      removed: ["dev/a"],
      changed: [],
      unchanged: ["dev/b"],
      restart: [],
      surfaceChanged: true,
    });
  });

  it.each<[string, (config: WorkbenchConfig) => void, object]>([
    [
      "env",
      (c) => (server(c, "a")["env"] = { X: "2", Y: "2" }),
      { changed: ["dev/a"], restart: ["dev/a"], surfaceChanged: false },
    ],
    [
      "the order of env",
      (c) => (server(c, "a")["env"] = { Y: "2", X: "1" }),
      { changed: [], restart: [] },
    ],
    [
      "the order of headers",
      (c) => (server(c, "b")["headers"] = { I: "2", H: "1" }),
      { changed: [] },
    ],
    [
      "a client secret",
      (c) => (server(c, "b")["oauth"] = { clientSecret: "s" }),
      { changed: ["dev/b"], restart: ["dev/b"], surfaceChanged: false },
    ],
    ["the order of args", (c) => (server(c, "a")["args"] = ["1", "2"]), { restart: ["dev/a"] }],
    [
      "a timeout for all",
      (c) => (c.timeouts = { callMs: 1 }),
      { changed: ["dev/a", "dev/b"], restart: [], surfaceChanged: false },
    ],
    [
      "a filter",
      (c) => (server(c, "a")["toolFilters"] = ["x"]),
      { changed: ["dev/a"], restart: [], surfaceChanged: true },
    ],
    [
      "an override",
      (c) => (server(c, "b")["overrides"] = { t: { hidden: true } }),
      { changed: ["dev/b"], restart: [], surfaceChanged: true },
    ],
    [
      "a policy",
      (c) => (server(c, "a")["policy"] = { readOnly: true }),
      { changed: ["dev/a"], restart: [], surfaceChanged: true },
    ],
    [
      "the general policy",
      (c) => (c.policy = { default: "ask" }),
      { changed: [], surfaceChanged: true },
    ],
    ["readTool", (c) => (c.readTool = true), { changed: [], surfaceChanged: true }],
    [
      "disabled",
      (c) => (server(c, "a")["disabled"] = true),
      { restart: ["dev/a"], surfaceChanged: true },
    ],
    ["toolMode", (c) => (c.toolMode = "dynamic"), { changed: [], surfaceChanged: true }],
    [
      "a description",
      (c) => Object.assign(c.toolboxes["dev"] ?? {}, { description: "e" }),
      { changed: [], surfaceChanged: true },
    ],
    [
      "keywords",
      (c) => Object.assign(c.toolboxes["dev"] ?? {}, { keywords: ["k"] }),
      { changed: [], surfaceChanged: true },
    ],
    [
      "a new toolbox",
      (c) => (c.toolboxes["new"] = { description: "n", mcpServers: {} }),
      { added: [], changed: [], surfaceChanged: true },
    ],
    ["the log", (c) => (c.log = { level: "debug" }), { changed: [], surfaceChanged: false }],
  ])("reports the effect of a change of %s", async (_, edit, expected) => {
    expect(await changeOf((config) => void edit(config))).toMatchObject(expected);
  });

  it("restarts a server when its missing variable is set, but not when only the message changes", async () => {
    const old = await settings(BASE);
    const lacking = withReason(old, "environment variable T is not set (…, line 1:1)");
    const moved = withReason(old, "environment variable T is not set (…, line 9:1)");
    expect(diffSettings(lacking, old).restart).toEqual(["dev/a", "dev/b"]);
    expect(diffSettings(lacking, moved).restart).toEqual([]);
  });

  it("lists every server exactly once, and no difference between equal settings", async () => {
    await fc.assert(
      fc.asyncProperty(validConfig, validConfig, async (a, b) => {
        const [old, next] = [await settings(a), await settings(b)];
        const diff = diffSettings(old, next);
        const common = [...diff.changed, ...diff.unchanged];
        expect([...diff.added, ...common].sort()).toEqual(keysOf(next));
        expect([...diff.removed, ...common].sort()).toEqual(keysOf(old));
        expect(diff.changed).toEqual(expect.arrayContaining([...diff.restart]));
        const back = diffSettings(next, old);
        expect([...back.added].sort()).toEqual([...diff.removed].sort());
        expect([...back.changed].sort()).toEqual([...diff.changed].sort());
        expect(back.surfaceChanged).toBe(diff.surfaceChanged);
        const none = { added: [], removed: [], changed: [], restart: [], surfaceChanged: false };
        expect(diffSettings(old, await settings(a))).toMatchObject(none);
      }),
    );
  });

  it("does not depend on the order of keys within a server", async () => {
    await fc.assert(
      fc.asyncProperty(validConfig, async (config) => {
        const reversed = await settings(reversedWithinServers(config));
        const diff = diffSettings(await settings(config), reversed);
        expect(diff.changed).toEqual([]);
        expect(diff.surfaceChanged).toBe(false);
      }),
    );
  });
});

function withReason(base: WorkbenchSettings, unavailable: string): WorkbenchSettings {
  const toolboxes = [...base.toolboxes].map(([name, toolbox]) => {
    const servers = [...toolbox.servers].map(
      ([key, value]) => [key, { ...value, unavailable }] as const,
    );
    return [name, { ...toolbox, servers: new Map(servers) }] as const;
  });
  return { ...base, toolboxes: new Map(toolboxes) };
}

function keysOf({ toolboxes }: WorkbenchSettings): string[] {
  return [...toolboxes.values()]
    .flatMap((toolbox) => [...toolbox.servers.keys()].map((name) => `${toolbox.name}/${name}`))
    .sort();
}

function reversedWithinServers(config: WorkbenchConfig): WorkbenchConfig {
  const copy = structuredClone(config);
  for (const toolbox of Object.values(copy.toolboxes)) {
    for (const [name, entry] of Object.entries(toolbox.mcpServers)) {
      toolbox.mcpServers[name] = reversed(entry) as typeof entry;
    }
  }
  return copy;
}

function reversed(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, item]) => [key, reversed(item)]));
}
