/**
 * The program is killed at every step that changes a file: files stay what they were or are complete.
 * One start of the program for each step, which takes too long for `npm test`.
 */
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";

import { type CliPlace, cliPlace, ownConfig, runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { bundle } from "../support/zip.ts";

const KILL_AT_STEP = fileURLToPath(new URL("kill-at-step.cjs", import.meta.url));
/** More than any command needs: a command that never finishes is a failure. */
const MAX_STEPS = 60;

const disposables = perTest();
let place: CliPlace;
let config = "";
let client = "";

beforeEach(() => {
  place = cliPlace(disposables);
  config = ownConfig(place);
  client = join(place.home, ".cursor/mcp.json");
  mkdirSync(dirname(client));
  const one = { command: "node", args: ["one.js"] };
  const toolboxes = { dev: { description: "For tests", mcpServers: { one } } };
  writeFileSync(config, JSON.stringify({ toolboxes }, undefined, 2), { mode: 0o600 });
  const mcpServers = { three: { command: "node", args: ["three.js"] } };
  writeFileSync(client, JSON.stringify({ mcpServers }, undefined, 2));
});

const read = (file: string): string => readFileSync(file, "utf8");

/** Runs a command, which must succeed. */
async function run(...args: string[]): Promise<void> {
  expect((await runCli(place, args)).code).toBe(0);
}

/** Runs a command again and again, killed one step later each time, until it finishes. */
async function killAtEveryStep(
  args: readonly string[],
  { before, after }: { before: () => unknown; after: () => unknown },
): Promise<void> {
  for (let step = 1; step <= MAX_STEPS; step++) {
    await before();
    const env = { NODE_OPTIONS: `--require ${KILL_AT_STEP}`, KILL_AT_STEP: String(step) };
    const { code } = await runCli(place, args, { env });
    await after();
    if (code === null) continue;
    expect(code).toBe(0);
    // The temporary file, half of its text, and the replacement are at least three steps.
    expect(step).toBeGreaterThan(3);
    return;
  }
  throw new Error(`${args.join(" ")} takes more than ${MAX_STEPS} steps`);
}

const TOKEN = "t0ken-v4lue-1234";

/** The token that a server in the configuration gets; undefined if there is no such server. */
function tokenOf(server: string): string | undefined {
  const { toolboxes } = JSON.parse(read(config)) as {
    toolboxes: { dev: { mcpServers: Record<string, { env: { API_TOKEN: string } }> } };
  };
  const text = toolboxes.dev.mcpServers[server]?.env.API_TOKEN;
  const name = /^\$\{(\w+)\}$/.exec(text ?? "")?.[1];
  if (name === undefined) return text;
  const file = join(dirname(config), "secrets.env");
  return new RegExp(`^${name}=(.*)$`, "m").exec(read(file))?.[1];
}

const temporaryFilesBeside = (file: string): string[] =>
  readdirSync(dirname(file)).filter((name) => name.endsWith(".workbench-tmp"));

describe("a command that is killed at any step", () => {
  it.each([
    [["add", "two", "--", "node"]],
    [["remove", "dev/one", "--yes"]],
    [["import", "--yes", "--toolbox", "dev"]],
  ])("leaves the configuration whole, and its next run cleans up: %j", async (args) => {
    const original = read(config);
    await run(...args);
    const changed = read(config);
    await killAtEveryStep(args, {
      before: () => writeFileSync(config, original),
      after: () => expect([original, changed]).toContain(read(config)),
    });
    expect(read(config)).toBe(changed);
    expect(temporaryFilesBeside(config)).toEqual([]);
  });

  it("leaves a bundle that is unpacked completely or not at all, and its next run cleans up: add", async () => {
    const file = join(place.home, "notes.mcpb");
    writeFileSync(file, bundle({}, [{ name: "server/lib.js", content: "lib" }], "main"));
    const args = ["add", file, "--toolbox", "dev", "--yes"];
    const copy = join(place.home, "../home-before");
    cpSync(place.home, copy, { recursive: true });
    const original = read(config);
    const unpacked = (): string[] =>
      readdirSync(place.home, { recursive: true, encoding: "utf8" }).filter((path) =>
        path.endsWith("manifest.json"),
      );
    await killAtEveryStep(args, {
      before: () => {
        rmSync(place.home, { recursive: true });
        cpSync(copy, place.home, { recursive: true });
      },
      after: async () => {
        const isAdded = read(config) !== original;
        const program = /"([^"]+server\/index\.js)"/.exec(read(config))?.[1];
        // What the configuration names is complete.
        const files = program === undefined ? [] : [program, join(dirname(program), "lib.js")];
        expect(files.map(read)).toEqual(isAdded ? ["main", "lib"] : []);
        await run(...args, ...(isAdded ? ["--force"] : []));
        expect(unpacked()).toHaveLength(1);
        expect(temporaryFilesBeside(config)).toEqual([]);
      },
    });
  });

  it.each([
    ["import", ["import", "--yes", "--toolbox", "dev"]],
    ["doctor --fix", ["doctor", "--no-connect", "--fix"]],
    ["undo", ["undo", "--yes"]],
  ])("loses no secret: %s", async (name, args) => {
    const withToken = (server: string): object => ({
      [server]: { command: "node", args: [`${server}.js`], env: { API_TOKEN: TOKEN } },
    });
    const server = name === "import" ? "three" : "one";
    if (name === "import")
      writeFileSync(client, JSON.stringify({ mcpServers: withToken("three") }));
    else {
      const dev = { description: "For tests", mcpServers: withToken("one") };
      writeFileSync(config, JSON.stringify({ toolboxes: { dev } }, undefined, 2), { mode: 0o600 });
    }
    if (name === "undo") await runCli(place, ["doctor", "--no-connect", "--fix"]);
    const original = read(config);
    const copy = join(place.home, "../home-before");
    cpSync(place.home, copy, { recursive: true });
    await killAtEveryStep(args, {
      before: () => {
        rmSync(place.home, { recursive: true });
        cpSync(copy, place.home, { recursive: true });
      },
      after: async () => {
        const isUnchanged = read(config) === original;
        const isImported = name !== "import" || !isUnchanged;
        expect(tokenOf(server)).toBe(isImported ? TOKEN : undefined);
        // The next run completes it.
        await runCli(place, args);
        expect(tokenOf(server)).toBe(TOKEN);
      },
    });
    expect(read(config)).not.toBe(original);
  });

  it("leaves the client's file whole, and the installation can be undone: install", async () => {
    const original = read(client);
    await run("install", "cursor");
    const installed = read(client);
    await run("uninstall", "cursor");
    expect(read(client)).toBe(original);
    await killAtEveryStep(["install", "cursor"], {
      before: () => {},
      after: async () => {
        expect([original, installed]).toContain(read(client));
        await run("uninstall", "cursor");
        expect(read(client)).toBe(original);
      },
    });
    expect(temporaryFilesBeside(client)).toEqual([]);
  });

  it("leaves the client's file whole, and can be repeated: uninstall", async () => {
    const original = read(client);
    await run("install", "cursor");
    const installed = read(client);
    const copy = join(place.home, "../home-with-installation");
    cpSync(place.home, copy, { recursive: true });
    await killAtEveryStep(["uninstall", "cursor"], {
      before: () => {
        rmSync(place.home, { recursive: true });
        cpSync(copy, place.home, { recursive: true });
      },
      after: async () => {
        expect([original, installed]).toContain(read(client));
        await run("uninstall", "cursor");
        expect(read(client)).toBe(original);
      },
    });
    expect(temporaryFilesBeside(client)).toEqual([]);
  });
});
