/**
 * What a workbench knows about servers before it has started any of them. In the full suite because
 * it starts the program again and again; `test/e2e/search.test.ts` and
 * `test/e2e/stable-surface.test.ts` use the cache in `npm test`.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { MODERN_META } from "../support/channel-client.ts";
import { callTool, openToolbox, searchTools, textOf, useTool } from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { waitFor } from "../support/proc.ts";
import { searchAllServers } from "../support/search.ts";
import {
  dev,
  everything,
  fixture,
  type ServerEntry,
  toolbox,
  withOptions,
} from "../support/servers.ts";
import {
  type Place,
  prepareWorkbench,
  runCommand,
  startIn,
  startWorkbench,
  temporaryFolder,
} from "../support/workbench.ts";

const cleanup = perTest();
const config = dev({ one: fixture("--name", "one"), two: fixture("--name", "two") });

const cacheOf = (place: Place): string => join(place.dir, "cache", "mcp-workbench", "catalogue");
const filesOf = (place: Place): string[] =>
  readdirSync(cacheOf(place)).map((name) => join(cacheOf(place), name));

/** A place in which a workbench has searched once. */
async function searchedBefore(servers = config, disposables = cleanup): Promise<Place> {
  const first = await startWorkbench(disposables, servers);
  await searchAllServers(first.client, "echo");
  await first.stop();
  return first;
}

const starts = (place: Place): number =>
  place.witness("dev", "one").starts + place.witness("dev", "two").starts;

describe("a new workbench with a catalogue cache", () => {
  it("searches with the same result, without starting a server", async () => {
    const first = await startWorkbench(cleanup, config);
    const before = await searchAllServers(first.client, "returns a text");
    await first.stop();
    const second = await startIn(cleanup, first);
    expect(await searchTools(second.client, "returns a text")).toBe(before);
    expect(second.servers()).toEqual([]);
    expect(starts(second)).toBe(2);
  });

  it("knows servers that were opened or called, not only those searched", async () => {
    const first = await startWorkbench(
      cleanup,
      dev({ one: fixture(), two: fixture() }, { discovery: "off" }),
    );
    await useTool(first.client, "dev/one/echo", { text: "x" });
    await first.stop();
    const second = await startIn(cleanup, first);
    const answer = await searchTools(second.client, "echo", { limit: 20 });
    expect(answer).toContain("dev/one/echo");
    expect(answer).not.toContain("dev/two/echo");
    expect(starts(second)).toBe(1);
  });

  it("lists prompts and resources without starting a server until one is used", async () => {
    const first = await startWorkbench(cleanup, dev({ every: everything() }));
    await openToolbox(first.client, "dev");
    const ask = async (client: RawClient): Promise<unknown[]> =>
      Promise.all(
        ["prompts/list", "resources/list", "resources/templates/list"].map(
          async (method) => (await client.request(method, {})).result,
        ),
      );
    const before = await ask(first.client);
    await first.stop();
    const second = await startIn(cleanup, first);
    expect(await ask(second.client)).toEqual(before);
    expect(second.servers()).toEqual([]);
    const prompt = await second.client.request("prompts/get", {
      name: "dev__every__test_simple_prompt",
    });
    expect(prompt.result).toHaveProperty("messages");
    expect(second.servers()).toHaveLength(1);
  });

  it("lists native tools to a modern client without starting a server", async () => {
    const native = { ...config, toolMode: "dynamic" as const };
    const ask = async (client: RawClient): Promise<unknown> =>
      (await client.request("tools/list", { _meta: MODERN_META })).result;
    const first = await startWorkbench(cleanup, native, { initialize: false });
    // The first answers lack servers that take long to start.
    const before = await waitFor(
      async () => {
        const listed = await ask(first.client);
        const isListed = (server: string): boolean =>
          JSON.stringify(listed).includes(`"dev__${server}__echo"`);
        return isListed("one") && isListed("two") && listed;
      },
      GENEROUS_MS,
      "both servers to be listed",
    );
    await first.stop();
    const second = await startIn(cleanup, first, { initialize: false });
    expect(await ask(second.client)).toEqual(before);
    expect(starts(second)).toBe(2);
  });

  it("does not wait for a key file that can never be read", async () => {
    const place = prepareWorkbench(cleanup, config);
    const state = join(place.dir, "state", "mcp-workbench");
    mkdirSync(state, { recursive: true });
    // Opening it for reading blocks until there is a writer.
    execFileSync("mkfifo", [join(state, "catalogue.key")]);
    const { client } = await startIn(cleanup, place);
    expect(textOf(await useTool(client, "dev/one/echo", { text: "here" }))).toBe("here");
    expect(await client.close()).toMatchObject({ code: 0 });
  });
});

describe("an outdated catalogue", () => {
  /** A server whose file can be replaced, so that it changes while its configuration does not. */
  function changing(): { entry: ServerEntry; becomes: (tool: string) => void } {
    const file = join(temporaryFolder(cleanup), "server.mjs");
    const becomes = (tool: string): void =>
      writeFileSync(
        file,
        `const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
         process.stdin.on("end", () => process.exit(0));
         let rest = "";
         process.stdin.on("data", (chunk) => {
           const lines = (rest + chunk).split("\\n");
           rest = lines.pop();
           for (const { id, method, params } of lines.map(JSON.parse)) {
             if (method === "initialize") say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
             if (method === "tools/list") say(id, { tools: [{ name: ${JSON.stringify(tool)}, inputSchema: { type: "object" } }] });
           }
         });`,
      );
    return { entry: { command: process.execPath, args: [file] }, becomes };
  }

  it("is corrected when the server is connected", async () => {
    const { entry, becomes } = changing();
    becomes("old_tool");
    const place = await searchedBefore(dev({ s: entry }));
    becomes("new_tool");
    const { client, stop } = await startIn(cleanup, place);
    expect(await searchTools(client, "tool")).toContain("dev/s/old_tool");
    await openToolbox(client, "dev");
    const answer = await searchTools(client, "tool");
    expect(answer).toContain("dev/s/new_tool");
    expect(answer).not.toContain("old_tool");
    await stop();
    const third = await startIn(cleanup, place);
    expect(await searchTools(third.client, "tool")).toContain("dev/s/new_tool");
  });

  it("is corrected by the command refresh, which reports changes and failures", async () => {
    const { entry, becomes } = changing();
    becomes("old_tool");
    const place = await searchedBefore(dev({ s: entry, one: fixture() }));
    becomes("new_tool");
    const { code, stdout } = runCommand(place, "refresh");
    expect(code).toBe(0);
    expect(stdout.split("\n").sort()).toEqual([
      "",
      expect.stringMatching(/^✓ dev\/one: \d+ tools$/),
      "✓ dev/s: 1 tool, changed",
    ]);
    writeFileSync(entry.args?.[0] ?? "", "process.exit(1)");
    const failed = runCommand(place, "refresh", "--json");
    expect(failed.code).toBe(4);
    const { servers } = JSON.parse(failed.stdout) as { servers: { reason: string | null }[] };
    expect(servers).toHaveLength(2);
    expect(servers.filter(({ reason }) => reason !== null)).toMatchObject([
      { toolbox: "dev", server: "s", tools: null },
    ]);
    // What was known about a failing server is kept.
    const { client } = await startIn(cleanup, place);
    expect(await searchTools(client, "new tool", { limit: 1 })).toContain("dev/s/new_tool");
  });

  it("is not used for a server whose configuration changed", async () => {
    const place = await searchedBefore(dev({ one: fixture("--name", "one") }));
    place.writeConfig(dev({ one: withOptions(fixture("--name", "one"), { env: { OTHER: "1" } }) }));
    const { client, stop } = await startIn(cleanup, place);
    await searchAllServers(client, "echo");
    await stop();
    expect(place.witness("dev", "one").starts).toBe(2);
    expect(filesOf(place)).toHaveLength(2);
  });

  it("is filtered by the current toolFilters", async () => {
    const place = await searchedBefore(dev({ one: fixture() }));
    place.writeConfig(dev({ one: withOptions(fixture(), { toolFilters: ["!echo"] }) }));
    const { client } = await startIn(cleanup, place);
    expect(await searchTools(client, "echo", { limit: 20 })).not.toContain("dev/one/echo(");
    expect(place.witness("dev", "one").starts).toBe(1);
  });
});

describe("the cached era of a server", () => {
  const search = async (client: RawClient): Promise<string> =>
    textOf(await callTool(client, "use_tool", ECHO, { meta: MODERN_META }));
  const ECHO = { tool: { toolbox: "dev", server: "s", name: "echo" }, arguments: { text: "hi" } };

  it("spares the next workbench the attempt that the server does not understand", async () => {
    const first = await startWorkbench(cleanup, dev({ s: fixture() }), { initialize: false });
    expect(await search(first.client)).toBe("hi");
    await first.stop();
    const witness = first.witness("dev", "s");
    expect(witness.messages("server/discover")).toHaveLength(1);
    const second = await startIn(cleanup, first, { initialize: false });
    expect(await search(second.client)).toBe("hi");
    expect(witness.messages("server/discover")).toHaveLength(1);
    expect(witness.messages("initialize")).toHaveLength(2);
  });

  it("is detected again when the server has changed its era", async () => {
    const folder = temporaryFolder(cleanup);
    const script = join(folder, "server.mjs");
    const target = everything().args?.[0] ?? "";
    const speaks = (era: string): void =>
      writeFileSync(
        script,
        `process.argv.push("--era", ${JSON.stringify(era)}); await import(${JSON.stringify(pathToFileURL(target).href)});`,
      );
    const tool = { toolbox: "dev", server: "s", name: "test_simple_text" };
    const call = async (client: RawClient): Promise<string> =>
      textOf(await callTool(client, "use_tool", { tool }, { meta: MODERN_META }));
    const place = prepareWorkbench(
      cleanup,
      dev({ s: { command: process.execPath, args: [script] } }),
    );
    for (const era of ["legacy", "modern", "legacy"]) {
      speaks(era);
      const { client, stop } = await startIn(cleanup, place, { initialize: false });
      expect(await call(client)).toMatch(/\S/);
      await stop();
    }
  });
});

describe("the files of the catalogue cache", () => {
  it("contain no secret of the configuration, and are readable by their owner only", async () => {
    const secret = "s3cr3t-t0ken-value";
    const entry = withOptions(fixture(), { env: { API_TOKEN: secret } });
    const place = await searchedBefore(dev({ one: entry }));
    const files = filesOf(place);
    expect(files).toHaveLength(1);
    for (const file of files) {
      expect(file + readFileSync(file, "utf8")).not.toContain(secret);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
    expect(statSync(cacheOf(place)).mode & 0o777).toBe(0o700);
    expect(statSync(join(place.dir, "cache", "mcp-workbench")).mode & 0o777).toBe(0o700);
  });

  describe("after damage", () => {
    const block = perBlock();
    let place: Place;
    beforeAll(async () => {
      place = await searchedBefore(config, block);
    });

    const each =
      (damage: (file: string) => void) =>
      (files: readonly string[]): void =>
        files.forEach(damage);

    // Each of these repairs the files for the next one, except perhaps the last.
    it.each<[string, (files: readonly string[]) => void]>([
      ["overwritten", each((file) => writeFileSync(file, "{{{"))],
      ["cut short", each((file) => writeFileSync(file, readFileSync(file).subarray(0, 500)))],
      [
        "changed by hand",
        each((file) => writeFileSync(file, readFileSync(file, "utf8").replaceAll("echo", "evil"))),
      ],
      ["removed", () => rmSync(join(place.dir, "cache"), { recursive: true })],
      ["without their key", () => rmSync(join(place.dir, "state"), { recursive: true })],
      [
        "replaced by folders",
        each((file) => {
          rmSync(file);
          mkdirSync(file);
        }),
      ],
    ])("may be %s, and then the servers are asked again", async (_what, damage) => {
      const before = starts(place);
      const files = filesOf(place);
      expect(files.length).toBeGreaterThanOrEqual(2);
      damage(files);
      const { client } = await startIn(cleanup, place);
      const answer = await searchAllServers(client, "echo", { limit: 20 });
      expect(answer).toContain("dev/one/echo");
      expect(answer).not.toContain("evil");
      expect(starts(place)).toBe(before + 2);
    });
  });

  it("may be impossible to write, and then nothing is remembered", async () => {
    const place = prepareWorkbench(cleanup, config);
    writeFileSync(join(place.dir, "cache"), "a file where a folder should be");
    const first = await startIn(cleanup, place);
    expect(await searchAllServers(first.client, "echo")).toContain("dev/one/echo");
    await first.stop();
    const second = await startIn(cleanup, place);
    expect(await searchAllServers(second.client, "echo")).toContain("dev/one/echo");
    expect(starts(place)).toBe(4);
  });

  it("can be shared by several workbenches at once", async () => {
    const place = prepareWorkbench(cleanup, config);
    const running = await Promise.all(Array.from({ length: 3 }, () => startIn(cleanup, place)));
    await Promise.all(running.map(({ client }) => searchAllServers(client, "echo")));
    for (const { client } of running) await client.close();
    expect(filesOf(place)).toHaveLength(2);
    const { client } = await startIn(cleanup, place);
    const before = starts(place);
    expect(await searchTools(client, "echo")).toContain("dev/one/echo");
    expect(starts(place)).toBe(before);
  });

  it("are written while the workbench still runs", async () => {
    const workbench = await startWorkbench(cleanup, config);
    await openToolbox(workbench.client, "dev");
    const finished = () => filesOf(workbench).filter((file) => file.endsWith(".json"));
    await waitFor(
      () => existsSync(cacheOf(workbench)) && finished().length === 2,
      GENEROUS_MS,
      "the files",
    );
    expect(finished().every((file) => readFileSync(file, "utf8").endsWith("}\n"))).toBe(true);
  });

  it("get a folder that only their owner can read, also if it was open before", async () => {
    const place = await searchedBefore();
    chmodSync(cacheOf(place), 0o755);
    rmSync(filesOf(place)[0] ?? "");
    const { client, stop } = await startIn(cleanup, place);
    await searchAllServers(client, "echo");
    await stop();
    expect(statSync(cacheOf(place)).mode & 0o777).toBe(0o700);
  });
});

describe("the catalogue cache of several toolboxes", () => {
  it("keeps two accounts of one service apart", async () => {
    const account = (name: string): ServerEntry =>
      withOptions(fixture("--name", name), { env: { ACCOUNT: name } });
    const place = await searchedBefore({
      toolboxes: { dev: toolbox({ s: account("a") }), ops: toolbox({ s: account("b") }) },
    });
    expect(filesOf(place)).toHaveLength(2);
  });
});
