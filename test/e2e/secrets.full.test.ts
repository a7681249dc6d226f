/** Secrets that a server gets when it is started: from files, commands and the keychain. In the full suite because each test starts several programs. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

import { failureOf, fixtureStatus, useTool } from "../support/calls.ts";
import { type CliPlace, cliPlace, ownConfig, runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { fakeKeychain } from "../support/fake-keychain.ts";
import { fixture, toolbox, withOptions } from "../support/servers.ts";
import { prepareWorkbench, startIn, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();

/** A command that prints a value, and notes in a file that it ran. */
const printing = (runs: string, value: string): string[] => [
  process.execPath,
  "-e",
  `require("node:fs").appendFileSync(${JSON.stringify(runs)}, "ran\\n"); console.log(${JSON.stringify(value)})`,
];
const count = (file: string): number =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;

it("a server gets secrets at its start; a changed file restarts it; no value is shown", async () => {
  const folder = temporaryFolder(cleanup);
  const runs = join(folder, "runs.txt");
  const token = join(folder, "token");
  const write = (text: string): void => {
    writeFileSync(`${token}.new`, text, { mode: 0o600 });
    renameSync(`${token}.new`, token);
  };
  write("canary-file-1\n");
  const tools = withOptions(fixture("--dump-env"), {
    env: { A: `a \${file:${token}}`, B: "${command:gh}" },
  });
  const twin = withOptions(fixture("--dump-env"), { env: { B: "${command:gh}" } });
  const broken = withOptions(fixture(), { env: { A: "${command:broken}" } });
  const place = prepareWorkbench(cleanup, {
    log: { level: "debug" },
    secretCommands: {
      gh: { command: printing(runs, "canary-command-1") },
      broken: { command: ["sh", "-c", "echo canary-partial; echo not signed in >&2; exit 6"] },
    },
    toolboxes: { dev: toolbox({ tools, twin, broken }) },
  });
  const { client } = await startIn(cleanup, place);
  const env = async (server: string) => (await fixtureStatus(client, server)).env ?? {};
  expect(count(runs)).toBe(0);

  const [first, second] = await Promise.all([env("dev/tools"), env("dev/twin")]);
  expect(first).toMatchObject({ A: "a canary-file-1", B: "canary-command-1" });
  expect(second).toMatchObject({ B: "canary-command-1" });
  expect(count(runs)).toBe(1);
  expect(failureOf(await useTool(client, "dev/broken/status"))).toContain(
    "secret command broken: it failed with exit code 6: not signed in",
  );

  write("canary-file-2\n");
  await client.when(() => client.stderr.includes("its secrets have changed"), "the restart");
  expect(await env("dev/tools")).toMatchObject({ A: "a canary-file-2", B: "canary-command-1" });
  expect(client.stderr.split("its secrets have changed")).toHaveLength(2);
  expect(count(runs)).toBe(1);
  expect(client.stderr).not.toContain("canary");
});

it("a server is restarted if the keychain or a command has a different value for it", async () => {
  const folder = temporaryFolder(cleanup);
  const keychain = fakeKeychain(folder);
  const printed = join(folder, "printed");
  const set = (value: string): void => {
    keychain.store({ A_TOKEN: `canary-keychain-${value}`, SAME: "canary-same" });
    writeFileSync(printed, `canary-command-${value}`);
  };
  set("1");
  const print = `process.stdout.write(require("node:fs").readFileSync(${JSON.stringify(printed)}))`;
  const withEnv = (A: string) => withOptions(fixture("--dump-env"), { env: { A } });
  const config = {
    log: { level: "info" },
    secretCommands: { print: { command: [process.execPath, "-e", print], cacheMs: 0 } },
    toolboxes: {
      dev: toolbox({
        command: withEnv("${command:print}"),
        keychain: withEnv("${keychain:A_TOKEN}"),
        same: withEnv("${keychain:SAME}"),
      }),
    },
  };
  const place = prepareWorkbench(cleanup, config, { env: keychain.env });
  const { client } = await startIn(cleanup, place);
  const values = (): Promise<unknown[]> =>
    Promise.all(
      ["command", "keychain", "same"].map(
        async (server) => (await fixtureStatus(client, `dev/${server}`)).env?.["A"],
      ),
    );
  expect(await values()).toEqual(["canary-command-1", "canary-keychain-1", "canary-same"]);

  set("2");
  place.writeConfig({ ...config, log: { level: "debug" } });
  const restarts = (): number => client.stderr.split("its secrets have changed").length - 1;
  await client.when(() => restarts() === 2, "the restarts");
  expect(await values()).toEqual(["canary-command-2", "canary-keychain-2", "canary-same"]);
  expect(restarts()).toBe(2);

  // A change with `secret set` needs no reload.
  const args = ["secret", "set", "A_TOKEN", "--keychain", "--config", place.configFile];
  const where = { home: place.home, cwd: place.dir, env: place.env };
  expect((await runCli(where, args, { input: "canary-keychain-3" })).code).toBe(0);
  await client.when(() => restarts() === 3, "the restart");
  expect(await values()).toEqual(["canary-command-2", "canary-keychain-3", "canary-same"]);
  expect(client.stderr).not.toContain("canary");
});

/** A configuration of the user with servers that need secrets, and what shows that one was read. */
function placeWithSecrets(): { place: CliPlace; reads: () => number; env: Record<string, string> } {
  const place = cliPlace(cleanup);
  const keychain = fakeKeychain(place.home);
  keychain.store({ A_TOKEN: "canary-keychain" });
  const runs = join(place.home, "runs.txt");
  const config = {
    secretCommands: { gh: { command: printing(runs, "canary-command") } },
    toolboxes: {
      dev: toolbox({
        command: withOptions(fixture(), { env: { B: "${command:gh}" } }),
        keychain: withOptions(fixture(), { env: { A: "${keychain:A_TOKEN}" } }),
        disabled: withOptions(fixture(), { disabled: true, env: { A: "${command:gh}" } }),
      }),
      other: toolbox({ plain: fixture() }),
    },
  };
  writeFileSync(ownConfig(place), JSON.stringify(config), { mode: 0o600 });
  const reads = (): number => count(runs) + keychain.commandLines().split("\n").length - 1;
  return { place, reads, env: keychain.env };
}

it("status, doctor, search and list read no secret; using a server does", async () => {
  const { place, reads, env } = placeWithSecrets();
  for (const args of [["status"], ["doctor"], ["search", "echo"], ["list"], ["secret", "list"]])
    expect((await runCli(place, args, { env })).code, args.join(" ")).toBeLessThan(2);
  const found = await runCli(place, ["search", "echo"], { env });
  expect(found.stdout).toContain("other/plain/echo");
  expect(found.stderr).toContain("dev/command, dev/keychain");
  expect(reads()).toBe(0);

  const called = await runCli(place, ["list", "dev/command"], { env });
  expect({ code: called.code, reads: reads() }).toEqual({ code: 0, reads: 1 });
  await runCli(place, ["list", "dev/keychain"], { env });
  expect(reads()).toBe(2);
  // What was learned is used without the secret.
  const again = await runCli(place, ["search", "echo"], { env });
  expect(again.stdout).toMatch(/^dev\/keychain\/echo\(.* \(also in dev\/command, other\/plain\)$/m);
  expect(reads()).toBe(2);
});

it("a relative file is found next to the configuration", async () => {
  const tools = withOptions(fixture("--dump-env"), { env: { A: "${file:token}" } });
  const none = withOptions(fixture(), { env: { A: "${file:none}" } });
  const place = prepareWorkbench(cleanup, { toolboxes: { dev: toolbox({ tools, none }) } });
  const folder = dirname(place.configFile);
  writeFileSync(join(folder, "token"), "zebra-lantern", { mode: 0o600 });
  const { client } = await startIn(cleanup, place);
  expect((await fixtureStatus(client, "dev/tools")).env).toMatchObject({ A: "zebra-lantern" });
  expect(failureOf(await useTool(client, "dev/none/status"))).toContain(
    `${join(folder, "none")} does not exist or is empty`,
  );
});
