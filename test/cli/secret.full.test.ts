/**
 * `secret`, and what `init`, `import` and `undo` do with literal secrets. In the full suite because
 * it runs several programs for each case; the stores themselves have unit tests.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import { CTRL_C, type CliPlace, HAS_TERMINAL } from "../support/cli.ts";
import { cliPlace, ownConfig, runCli, runJson, runTerminal } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { fakeKeychain } from "../support/fake-keychain.ts";
import { fixture, toolbox } from "../support/servers.ts";

const VALUE = "zebra-lantern-hill";
const disposables = perTest();
let place: CliPlace;
let secrets = "";

beforeEach(() => {
  place = cliPlace(disposables);
  secrets = join(dirname(ownConfig(place)), "secrets.env");
});

const read = (file: string): string => readFileSync(file, "utf8");

function configure(more: object = {}): void {
  const tools = { ...fixture(), env: { A_TOKEN: "${A_TOKEN}", B: "${keychain:B_TOKEN}" } };
  const config = { ...more, toolboxes: { dev: toolbox({ tools }) } };
  writeFileSync(ownConfig(place), JSON.stringify(config));
}

describe("mcp-workbench secret", () => {
  it("stores a value from standard input, lists names with their use, and removes them", async () => {
    configure();
    writeFileSync(secrets, "# mine\nOLD=1\n", { mode: 0o600 });
    const set = await runCli(place, ["secret", "set", "A_TOKEN"], { input: `${VALUE}\n` });
    expect(set).toMatchObject({ code: 0, stdout: "" });
    expect(read(secrets)).toBe(`# mine\nOLD=1\nA_TOKEN=${VALUE}\n`);
    const list = await runCli(place, ["secret", "list"]);
    expect(list.stdout).toMatch(/OLD +not used\n +A_TOKEN +dev\/tools\n/);
    expect(list.stdout).toMatch(/Not set anywhere\n +B_TOKEN +dev\/tools/);
    const removed = await runCli(place, ["secret", "rm", "A_TOKEN"]);
    expect(removed.stderr).toContain("dev/tools still refers to it");
    expect(read(secrets)).toBe("# mine\nOLD=1\n");
    for (const run of [set, list, removed]) expect(run.stdout + run.stderr).not.toContain(VALUE);
  });

  it("works before there is a configuration, and with one that names its files", async () => {
    await runCli(place, ["secret", "set", "A_TOKEN"], { input: "line 1\nline 2\n" });
    expect(read(secrets)).toContain("A_TOKEN='line 1\nline 2'\n");
    expect(statSync(secrets).mode & 0o777).toBe(0o600);
    configure({ envFiles: ["my.env", "other.env"] });
    await runCli(place, ["secret", "set", "A_TOKEN"], { input: VALUE });
    expect(read(join(dirname(secrets), "my.env"))).toContain(VALUE);
  });

  it("uses the keychain with --keychain", async () => {
    configure();
    const keychain = fakeKeychain(place.home);
    const run = (...args: string[]) =>
      runCli(place, ["secret", ...args, "--keychain"], { input: VALUE, env: keychain.env });
    expect((await run("set", "B_TOKEN")).stderr).toContain("Stored B_TOKEN in the keychain");
    expect(keychain.secrets()).toEqual({ B_TOKEN: VALUE });
    expect(keychain.commandLines()).not.toContain(VALUE);
    expect((await run("list")).stdout).toMatch(/B_TOKEN +dev\/tools/);
    expect((await run("rm", "B_TOKEN")).code).toBe(0);
    expect(keychain.secrets()).toEqual({});
    expect(existsSync(secrets)).toBe(false);
  });

  it.each([
    [["get", "A_TOKEN"], "", "Unknown action 'get'"],
    [["set", "A-B"], VALUE, "not a valid name"],
    [["set", "A_TOKEN"], "", "is empty"],
    [["rm", "NONE"], "", "has no secret 'NONE'"],
  ])("refuses %j", async (args, input, message) => {
    const { code, stderr } = await runCli(place, ["secret", ...args], { input });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it("writes nothing into the folder of a configuration that is not trusted", async () => {
    const cwd = join(place.home, "project");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "workbench-config.json"), '{"toolboxes":{"t":{}}}');
    const { stderr } = await runCli(place, ["secret", "set", "A_TOKEN"], { input: VALUE, cwd });
    expect(stderr).toContain("Configuration not trusted");
    expect(existsSync(join(cwd, "secrets.env"))).toBe(false);
    // Nor does it read what is there: the permissions would be reported.
    writeFileSync(join(cwd, "secrets.env"), "A_TOKEN=1\n");
    chmodSync(join(cwd, "secrets.env"), 0o644);
    expect((await runCli(place, ["serve"], { cwd })).stderr).not.toContain("chmod");
  });

  it.runIf(HAS_TERMINAL)("asks in a terminal without showing what is typed", async () => {
    const typed = await runTerminal(
      place,
      ["secret", "set", "A_TOKEN"],
      [["not shown", `x\u0015\u001b[200~${VALUE}!\u001b[201~\u007f\r`]],
    );
    expect(typed.code).toBe(0);
    expect(typed.raw).not.toContain("zebra");
    expect(read(secrets)).toContain(`A_TOKEN=${VALUE}\n`);
    const ended = await runTerminal(place, ["secret", "set", "B"], [["not shown", CTRL_C]]);
    expect(ended.code).toBe(130);
    expect(read(secrets)).not.toContain("B=");
  });
});

describe("mcp-workbench init", () => {
  const client = (): string => join(place.home, ".cursor/mcp.json");

  function inCursor(): string {
    const tools = { ...fixture("--name", "tools"), env: { A_PASS: VALUE, B_TOKEN: "other-value" } };
    mkdirSync(dirname(client()), { recursive: true });
    const text = `${JSON.stringify({ mcpServers: { tools } }, undefined, 2)}\n`;
    writeFileSync(client(), text);
    return text;
  }

  it("moves secrets to secrets.env; undo and uninstall restore everything", async () => {
    const before = inCursor();
    writeFileSync(secrets, "# mine\nKEPT=1\n", { mode: 0o600 });
    const init = ["init", "--yes", "--install", "cursor"];
    const report = await runJson(place, init);
    expect(report).toMatchObject({
      exit: 0,
      secrets: [
        { variable: "A_PASS", place: "env-file" },
        { variable: "B_TOKEN", place: "env-file" },
      ],
    });
    expect(read(secrets)).toBe(`# mine\nKEPT=1\nA_PASS=${VALUE}\nB_TOKEN=other-value\n`);
    expect(read(ownConfig(place))).not.toContain(VALUE);
    const call = await runCli(place, ["call", "general/tools/echo", "text=works"]);
    expect(call.stdout).toContain("works");

    await runCli(place, ["secret", "set", "B_TOKEN"], { input: "changed-by-hand" });
    await runCli(place, ["undo"]);
    expect(read(client())).toBe(before);
    await runCli(place, ["undo"]);
    expect(existsSync(ownConfig(place))).toBe(false);
    expect(read(secrets)).toBe("# mine\nKEPT=1\nB_TOKEN=changed-by-hand\n");
  });

  it("leaves no secrets behind when it is interrupted before the configuration is written", async () => {
    inCursor();
    await runCli(place, ["init", "--yes", "--no-connect"]);
    // What a kill between the two writes leaves.
    rmSync(ownConfig(place));
    const preview = await runCli(place, ["undo", "--dry-run"]);
    expect(preview.stdout).toContain("Would remove 2 secrets from ~/.config/mcp-workbench/");
    expect(existsSync(secrets)).toBe(true);
    expect(await runJson(place, ["undo"])).toMatchObject({ undone: "init", changed: true });
    expect(existsSync(secrets)).toBe(false);
    expect(await runJson(place, ["undo"])).toMatchObject({ undone: null });
  });

  it("warns about a secrets.env in a repository, and import uses its names again", async () => {
    inCursor();
    const cwd = join(place.home, "project");
    mkdirSync(join(cwd, ".git"), { recursive: true });
    const init = await runCli(place, ["init", "--here", "--yes", "--no-connect"], { cwd });
    expect(init.stderr).toContain("secrets.env is in a Git repository. Add it to .gitignore");
    writeFileSync(join(cwd, ".gitignore"), "node_modules\n/secrets.env\n");
    const force = ["init", "--here", "--yes", "--no-connect", "--force"];
    expect((await runCli(place, force, { cwd })).stderr).not.toContain(".gitignore");
    const file = join(cwd, "secrets.env");
    const [before, stored] = [read(file), `A_PASS=${VALUE}\nB_TOKEN=other-value\n`];
    expect(before).toContain(stored);
    const again = { ...fixture("--name", "again"), env: { NEW_PASS: VALUE } };
    writeFileSync(client(), JSON.stringify({ mcpServers: { again } }));
    const report = await runJson(place, ["import", "--yes"], { cwd });
    expect(report).toMatchObject({ exit: 0, secrets: [{ variable: "A_PASS" }] });
    expect(read(file)).toBe(before);
    expect(read(join(cwd, "workbench-config.json"))).toContain('"NEW_PASS": "${A_PASS}"');
  });

  it("moves them to the keychain with --secrets keychain, or fails before it writes", async () => {
    inCursor();
    const args = ["init", "--yes", "--no-connect", "--secrets", "keychain"];
    const keychain = fakeKeychain(place.home);
    keychain.breakWith("it is locked");
    const without = await runCli(place, args, { env: keychain.env });
    expect(without).toMatchObject({ code: 3 });
    expect(without.stderr).toContain("it is locked\nUnlock the keychain, or store");
    expect(existsSync(ownConfig(place))).toBe(false);
    keychain.breakWith(undefined);
    expect(await runCli(place, args, { env: keychain.env })).toMatchObject({ code: 0 });
    expect(keychain.secrets()).toEqual({ A_PASS: VALUE, B_TOKEN: "other-value" });
    expect(read(ownConfig(place))).toContain("${keychain:A_PASS}");
    const call = ["call", "general/tools/echo", "text=works"];
    expect((await runCli(place, call, { env: keychain.env })).stdout).toContain("works");
    await runCli(place, ["undo"], { env: keychain.env });
    expect(keychain.secrets()).toEqual({});
    expect(existsSync(secrets)).toBe(false);
  });

  it.each([
    ["variables", "${A_PASS}", false],
    ["keep", VALUE, false],
  ])("with --secrets %s writes %s and no file", async (choice, text, isStored) => {
    inCursor();
    await runCli(place, ["init", "--yes", "--no-connect", "--secrets", choice]);
    expect(read(ownConfig(place))).toContain(text);
    expect(existsSync(secrets)).toBe(isStored);
    const { code, stderr } = await runCli(place, ["import", "--secrets", "nowhere"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--secrets must be env-file, keychain, variables, keep");
  });
});

describe("mcp-workbench doctor", () => {
  it("makes secrets.env private with --fix", async () => {
    const tools = { ...fixture(), env: { A: "${A_TOKEN}" } };
    writeFileSync(ownConfig(place), JSON.stringify({ toolboxes: { dev: toolbox({ tools }) } }));
    chmodSync(ownConfig(place), 0o600);
    writeFileSync(secrets, `A_TOKEN=${VALUE}\n`);
    chmodSync(secrets, 0o644);
    const before = await runCli(place, ["doctor", "--no-connect"]);
    expect(before.code).toBe(3);
    expect(before.stdout).toContain(`→ chmod 600 ${secrets}`);
    const after = await runCli(place, ["doctor", "--no-connect", "--fix"]);
    expect(after.code).toBe(0);
    expect(statSync(secrets).mode & 0o777).toBe(0o600);
  });

  it("names the setting that passes on a variable which a server asks for", async () => {
    const complains = "console.error('SENTRY_TOKEN is required'); process.exit(1)";
    const sentry = { command: process.execPath, args: ["-e", complains], inheritEnv: ["LANG"] };
    writeFileSync(ownConfig(place), JSON.stringify({ toolboxes: { dev: toolbox({ sentry }) } }));
    const { stdout } = await runCli(place, ["doctor"], { env: { SENTRY_TOKEN: VALUE } });
    expect(stdout).toContain('"inheritEnv": ["LANG", "SENTRY_TOKEN"]');
    expect(stdout).toContain("toolboxes.dev.mcpServers.sentry in");
    expect(stdout).not.toContain(VALUE);
  });
});
