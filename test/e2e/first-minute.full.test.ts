/**
 * A new user's first minute: `init` with every default, then the clients as they were left. In the
 * full suite because it starts dozens of processes: `test/cli/setup.test.ts` has the steps of
 * `init`.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { HAS_TERMINAL, type Turn, runCli, runInTerminal, runJson } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import {
  CLIENT_FILES,
  type Machine,
  SECRETS,
  entriesIn,
  newMachine,
  textOf,
} from "../support/first-minute.ts";
import { LEGACY } from "../support/clients/json-rpc.ts";
import { RawClient } from "../support/raw-client.ts";
import { PROGRAM } from "../support/workbench.ts";

const disposables = perTest();
type Client = keyof typeof CLIENT_FILES;
const CLIENTS = Object.keys(CLIENT_FILES) as Client[];

/** What every working server answers; the two without an account only have to answer. */
const ANSWERS: Readonly<Record<string, { toolbox: string; tool: string; text?: string }>> = {
  github: { toolbox: "code", tool: "whoami", text: SECRETS.github },
  "github-cursor": { toolbox: "code", tool: "whoami", text: SECRETS["github-cursor"] },
  sentry: { toolbox: "ops", tool: "whoami", text: SECRETS.sentry },
  files: { toolbox: "knowledge", tool: "whoami", text: SECRETS.files },
  notes: { toolbox: "knowledge", tool: "echo" },
  search: { toolbox: "search", tool: "whoami", text: SECRETS.search },
  crm: { toolbox: "business", tool: "whoami", text: SECRETS.crm },
  db: { toolbox: "data", tool: "whoami", text: SECRETS.db },
  slow: { toolbox: "general", tool: "echo" },
};
const FAILING = ["broken", "gone", "login"];

const config = ({ place }: Machine): string =>
  join(place.home, ".config/mcp-workbench/workbench-config.json");

/** Starts the workbench exactly as the client's file says, and calls these servers through it. */
async function callThrough(
  machine: Machine,
  client: Client,
  servers: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const { launch } = await entriesIn(machine, client);
  const child = spawn(launch.command, launch.args, { cwd: "/", env, stdio: "pipe" });
  const workbench = new RawClient(child);
  disposables.defer(() => workbench.close());
  const hello = {
    protocolVersion: LEGACY,
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  };
  const { result: greeting } = await workbench.request("initialize", hello);
  // The tools are known from `init`, so the example is a real one in the first session.
  expect(greeting).toMatchObject({
    instructions: expect.stringContaining(
      '{"tool":{"toolbox":"code","server":"github","name":"whoami"}',
    ) as string,
  });
  workbench.notify("notifications/initialized");
  await Promise.all(
    servers.map(async (server) => {
      const { toolbox = "", tool: name, text = "hi" } = ANSWERS[server] ?? {};
      const tool = { toolbox, server, name };
      const input = { name: "use_tool", arguments: { tool, arguments: { text: "hi" } } };
      const { result } = await workbench.request("tools/call", input);
      expect(result, `${server} through ${client}`).toMatchObject({
        content: [{ type: "text", text: expect.stringContaining(text) as string }],
      });
      expect(result).not.toHaveProperty("isError", true);
    }),
  );
  await workbench.close();
}

/** What `init` leaves behind, however it was run. */
async function checkFiles(machine: Machine): Promise<void> {
  const names = async (client: Client): Promise<readonly string[]> =>
    (await entriesIn(machine, client)).names.toSorted();
  expect(await names("claude-code")).toEqual(["broken", "workbench"]);
  expect(await names("cursor")).toEqual(["workbench"]);
  expect(await names("codex")).toEqual(["gone", "login", "workbench"]);
  for (const client of CLIENTS)
    for (const secret of Object.values(SECRETS))
      expect(textOf(machine, client)).not.toContain(secret);
  const written = readFileSync(config(machine), "utf8");
  for (const secret of Object.values(SECRETS)) expect(written).not.toContain(secret);
  const secrets = join(config(machine), "../secrets.env");
  expect(statSync(secrets).mode & 0o777).toBe(0o600);
}

/** The servers that a client started from the desktop can use, without the variables of the shell. */
const FOR_DESKTOP = Object.keys(ANSWERS).filter((server) => server !== "sentry");

function desktop({ place }: Machine): Readonly<Record<string, string>> {
  const { SENTRY_AUTH_TOKEN: _, ...env } = place.env;
  return env;
}

function expectOriginals(machine: Machine): void {
  for (const client of CLIENTS) expect(textOf(machine, client)).toBe(machine.originals.get(client));
}

/** Reverts one change after the other, most recent first. */
async function undoEverything({ place }: Machine): Promise<void> {
  for (let count = 0; count <= CLIENTS.length; count++)
    expect(await runJson(place, ["undo", "--yes"])).toMatchObject({ exit: 0, changed: true });
  expect(await runJson(place, ["undo", "--yes"])).toMatchObject({ undone: null });
}

/** Enter, whatever the question is. */
const ENTERS: readonly Turn[] = [
  "Change something first? [no]",
  "sentry asks for SENTRY_AUTH_TOKEN, which is set here. Pass it on? [Y/n]",
  "workbench-config.json? [Y/n]",
  "Clients: [1 2 3]",
  "Remove 10 entries that the workbench now provides from these clients? [Y/n]",
  "Write this to ~/.claude.json? [Y/n]",
  "Write this to ~/.cursor/mcp.json? [Y/n]",
  "Write this to ~/.codex/config.toml? [Y/n]",
].map((question) => [wrapped(question), "\n"]);

/** Recognises a text wherever the terminal's width breaks it. */
function wrapped(text: string): RegExp {
  return new RegExp(text.replace(/[?.[\]/]/g, "\\$&").replaceAll(" ", "\\s+"));
}

describe("the first minute with twelve servers in three clients", () => {
  it("without a terminal ends with all servers that can work, and undo restores the files", async () => {
    const machine = await newMachine(disposables);
    const report = await runJson(machine.place, ["init", "--yes", "--install", "all"]);
    expect(report["exit"]).toBe(0);
    const names = (list: unknown): readonly string[] =>
      (list as { server: string }[]).map(({ server }) => server).toSorted();
    expect(names(report["working"])).toEqual(Object.keys(ANSWERS).toSorted());
    expect(names(report["needsUser"])).toEqual(FAILING);
    expect(report["needsUser"]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          server: "login",
          reason: expect.stringContaining("HTTP 401") as string,
          command: expect.stringMatching(
            /^mcp-workbench add login http:\S+ --toolbox \S+ --force --header 'Authorization: Bearer \$\{LOGIN_TOKEN\}'$/,
          ) as string,
        }),
        expect.objectContaining({
          server: "broken",
          reason: expect.stringContaining("cannot start, reason 30 of 30") as string,
        }),
      ]),
    );
    expect(report["tokens"]).toMatchObject({ counted: 9, servers: 12 });
    await checkFiles(machine);
    await callThrough(machine, "claude-code", Object.keys(ANSWERS), machine.place.env);
    await callThrough(machine, "cursor", FOR_DESKTOP, desktop(machine));
    await undoEverything(machine);
    expectOriginals(machine);
    expect(existsSync(config(machine))).toBe(false);
    expect(existsSync(join(config(machine), "../secrets.env"))).toBe(false);
  });

  it.skipIf(!HAS_TERMINAL).each([60, 110])(
    "in a terminal of %i columns ends the same way, and uninstall restores the files",
    async (columns) => {
      const machine = await newMachine(disposables);
      const init = `/bin/stty cols ${columns}; exec '${process.execPath}' '${PROGRAM}' init`;
      const { code, screen } = await runInTerminal(machine.place, ["/bin/sh", "-c", init], ENTERS);
      expect(code).toBe(0);
      const [, summary = ""] = screen.split(/^9 work, 3 need you:$/m);
      for (const server of FAILING) expect(summary).toMatch(new RegExp(`^  \\w+/${server}: `, "m"));
      const commands = /^ {4}mcp-workbench .*$/gm;
      expect(summary.match(commands)).toHaveLength(FAILING.length + 1);
      for (const line of summary.replaceAll(commands, "").split("\n"))
        expect(line.length).toBeLessThanOrEqual(columns);
      // One line begins with a variable for each secret; the rest is indented further.
      const [, secrets, list = ""] =
        /^(\d+) secrets moved to \S+:\r?\n((?: {2}.*\n)+)/m.exec(screen) ?? [];
      expect(list.match(/^ {2}\S/gm)).toHaveLength(Number(secrets));
      // Diffs would hide the questions.
      expect(screen).not.toContain("@@");
      for (const secret of Object.values(SECRETS)) expect(screen).not.toContain(secret);
      await checkFiles(machine);
      await callThrough(machine, "codex", FOR_DESKTOP, desktop(machine));
      const { code: end } = await runCli(machine.place, ["uninstall", "--all", "--yes"]);
      expect(end).toBe(0);
      expectOriginals(machine);
    },
  );
});
