import { describe, expect, it } from "vitest";

import { parseConfig } from "../../config/load.ts";
import { KnownLaunches, LaunchStarts } from "./launch-starts.ts";
import { settingsFor } from "./client-starts.ts";
import { type Launch, launchOf, mayNeedMore } from "./launch.ts";

const FILE = "/srv/workbench-config.json";
const server = (more: object = {}): object => ({ command: "run", ...more });
const textOf = (servers: Record<string, object>, more: object = {}): string =>
  JSON.stringify({ ...more, toolboxes: { dev: { description: "d", mcpServers: servers } } });

const launch = (env: Record<string, string> = {}, cwd = "/home/a"): Launch => ({
  cwd,
  env: { HOME: "/home", PATH: "/bin", ...env },
});

async function starts(text: string, usual: Launch, own: Launch): Promise<LaunchStarts> {
  const settings = settingsFor(await parseConfig(text, { file: FILE, env: usual.env }), usual);
  const known = new KnownLaunches({ file: FILE, text, settings }, () => {});
  return known.startsOf(own);
}

const placeOf = (found: LaunchStarts, name: string) =>
  found.startOf({ toolbox: "dev", name } as Parameters<LaunchStarts["startOf"]>[0]);

describe("the servers of a client of a shared workbench", () => {
  it("are the same if everything they are started with is", async () => {
    const text = textOf({ a: server({ args: ["${X:-}"] }) });
    const found = await starts(text, launch({ TERM: "one" }), launch({ TERM: "two" }));
    expect(found.isShareable).toBe(true);
    expect(placeOf(found, "a")).toBeUndefined();
  });

  it.each([
    ["a variable in its arguments", { args: ["${X:-}"] }, launch({ X: "1" })],
    ["a variable that it inherits", { inheritEnv: ["Y"] }, launch({ Y: "1" })],
    ["the search path", {}, launch({ PATH: "/other" })],
    ["the folder of the client, if it has none of its own", {}, launch({}, "/home/b")],
    ["a variable that is not set", { env: { A: "${Z}" } }, launch({ Z: "1" })],
  ])("differ by %s, one by one", async (_, more, own) => {
    const text = textOf({ a: server(more), b: { url: "https://example.com/mcp" } });
    const found = await starts(text, launch(), own);
    expect(found.isShareable).toBe(true);
    expect(placeOf(found, "a")?.key).toMatch(/^ [0-9a-f]{64}$/);
    expect(placeOf(found, "b")).toBeUndefined();
  });

  it("do not differ by the folder of the client if they have their own", async () => {
    const found = await starts(textOf({ a: server({ cwd: "." }) }), launch(), launch({}, "/b"));
    expect(placeOf(found, "a")).toBeUndefined();
  });

  it.each([
    ["remote servers", textOf({ a: { url: "https://${X:-example}.com/mcp" } })],
    ["filters", textOf({ a: server({ toolFilters: ["${X:-*}"] }) })],
    ["other settings", textOf({ a: server() }, { log: { file: "${X:-log}" } })],
    ["an invalid configuration", textOf({ a: server() }, { toolMode: "${X:-proxy}" })],
  ])("cannot be shared if the client has different %s", async (_, text) => {
    expect((await starts(text, launch(), launch({ X: "other" }))).isShareable).toBe(false);
  });

  it("follow the configuration", async () => {
    const before = textOf({ a: server({ args: ["${X:-}"] }) });
    const usual = launch();
    const settings = async (text: string) =>
      settingsFor(await parseConfig(text, { file: FILE, env: usual.env }), usual);
    const known = new KnownLaunches(
      { file: FILE, text: before, settings: await settings(before) },
      () => {},
    );
    const found = await known.startsOf(launch({ X: "1" }));
    expect(placeOf(found, "a")).toBeDefined();
    const after = textOf({ a: server() });
    await known.update({ file: FILE, text: after, settings: await settings(after) });
    expect(placeOf(found, "a")).toBeUndefined();
    await known.keepOnly(new Set());
    expect(await known.startsOf(launch({ X: "1" }))).toBe(found);
    await known.keepOnly(new Set(), 0);
    expect(await known.startsOf(launch({ X: "1" }))).not.toBe(found);
  });
});

describe("a changed configuration", () => {
  it.each([
    ["{}", '{"a":"${A}"}', true],
    ['{"a":"${A}"}', '{"a":"${env:B:-x}"}', true],
    ['{"a":"${A} ${B}"}', '{"a":"${B}"}', false],
    ["{}", '{"inheritEnv":["A"]}', true],
    ['{"a":"A"}', '{"a":"B"}', false],
  ])("%s → %s may need other variables of clients: %s", (before, after, expected) => {
    expect(mayNeedMore(before, after)).toBe(expected);
  });
});

describe("the environment that a client gives to a shared workbench", () => {
  const env = { HOME: "/h", TOKEN: "t", OTHER: "o", PATH: "/bin" };

  it("has only what servers inherit and what the configuration mentions", () => {
    expect(launchOf('{"a":"${TOKEN}"}', "/c", env, "linux")).toEqual({
      cwd: "/c",
      env: { HOME: "/h", PATH: "/bin", TOKEN: "t" },
    });
  });

  it("is complete if names may be written with escapes", () => {
    expect(launchOf('{"a":"${\\u0054OKEN}"}', "/c", env, "linux").env).toEqual(env);
  });

  it("ignores the case of names on Windows", () => {
    expect(launchOf('{"a":"${token}"}', "/c", env, "win32").env).toHaveProperty("TOKEN");
  });
});
