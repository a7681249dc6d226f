/**
 * No command shows a secret of the configuration, in text or as a document. In the full suite because each
 * command is started twice, most of them with servers.
 */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import { COMMANDS } from "../../src/cli/commands/commands.ts";
import { type CliPlace, cliPlace, ownConfig, runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { fixture, toolbox } from "../support/servers.ts";

// They look like words, so only their place in this configuration makes them secrets.
const FROM_VARIABLE = "zebra-lantern-hill";
const LITERAL = "violet-harbour-wind";
const FROM_FILE = "marble-orchard-song";

/** An editor that touches every line around a secret. */
const EDITOR = `node -e 'const file = process.argv[1]; fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll("\\"--", "\\"---"))'`;

/** Each with arguments that make it print as much as possible. */
const RUNS: readonly (readonly string[])[] = [
  ["import", "--dry-run"],
  ["add", "new", "--toolbox", "dev", "--dry-run", "--", "node", "--password", LITERAL],
  ["remove", "dev/broken", "--dry-run"],
  ["install", "cursor", "--dry-run"],
  ["uninstall", "cursor", "--dry-run"],
  ["undo", "--dry-run"],
  ["secret", "list"],
  ["secret", "rm", "FROM_FILE"],
  ["list"],
  ["list", "dev"],
  ["list", "dev/broken"],
  ["list", "--", process.execPath, "-e", "process.exit(3)", "--", "--password", LITERAL],
  ["call", "dev/broken/echo"],
  ["call", "dev/tools/crash"],
  ["call", "dev/tools/echo", `txet=${LITERAL}`],
  ["search", "echo"],
  ["search", "echo", "--toolbox", "off"],
  ["open", "dev"],
  ["open", "off"],
  ["move", "dev/broken", "more", "--dry-run"],
  ["rename", "dev/broken", "other", "--dry-run"],
  ["disable", "dev", "--dry-run"],
  ["enable", "off"],
  ["edit"],
  ["login", "dev/broken"],
  ["logout", "--all"],
  ["auth"],
  ["doctor"],
  ["status"],
  ["logs"],
  ["audit"],
  ["audit", "verify"],
  ["lock"],
  ["diff"],
  ["token", "list"],
  ["approvals"],
  ["approve", "AAAAAA", "--yes"],
  ["deny", "AAAAAA", "--yes"],
  ["tokens"],
  ["refresh"],
  ["stop", "--all"],
  ["dashboard", "--no-browser"],
  ["registry", "x", "--registry", "http://127.0.0.1:1"],
];

/**
 * They load no configuration, or their own. `trust` reads no variables and shows the text of the
 * file unchanged: a mask could hide what runs.
 */
const WITHOUT_CONFIGURATION = ["init", "serve", "demo", "completion", "help", "trust"];

/** Prints nothing without the input of a hook; decide.test.ts looks for a secret in its answer. */
const TESTED_ELSEWHERE = ["decide"];

const disposables = perTest();
let place: CliPlace;

beforeEach(() => {
  place = cliPlace(disposables, { env: { MY_API_KEY: FROM_VARIABLE, EDITOR } });
  const credentials = ["--api-key", "${MY_API_KEY}", "--password", LITERAL, "${FROM_FILE}"];
  const talks = [
    "-e",
    "process.stderr.write('refused: ' + process.argv.slice(1).join(' ') + '\\n'); process.exit(3)",
  ];
  const node = process.execPath;
  const broken = { command: node, args: [...talks, "--", ...credentials] };
  // The fixture prints its name first when it is made to crash.
  const tools = fixture("--name", "${MY_API_KEY}");
  const env = { DB_PASSWORD: LITERAL, PLAIN: "${FROM_FILE}" };
  const secrets = join(dirname(ownConfig(place)), "secrets.env");
  writeFileSync(secrets, `FROM_FILE=${FROM_FILE}\n`, { mode: 0o600 });
  configure({ dev: toolbox({ broken, tools: { ...tools, env } }), off: toolbox({ broken }) });
});

const configure = (toolboxes: object): void =>
  writeFileSync(ownConfig(place), JSON.stringify({ toolboxes }, undefined, 2));

describe("the secrets of the configuration", () => {
  it("are looked for in the output of every command", () => {
    const run = new Set(RUNS.map(([name]) => name));
    const left = COMMANDS.map(({ name }) => name).filter((name) => !run.has(name));
    expect(left.toSorted()).toEqual([...WITHOUT_CONFIGURATION, ...TESTED_ELSEWHERE].toSorted());
  });

  it.each(RUNS.map((args) => [args.join(" ").replaceAll(process.execPath, "node"), args] as const))(
    "are not shown by the command: %s",
    async (_, args) => {
      const [command = "", ...rest] = args;
      for (const format of [[], ["--json"]]) {
        const { stdout, stderr } = await runCli(place, [command, ...format, ...rest]);
        const output = `${stdout}\n${stderr}`;
        // With --json, a list of records without any is empty output.
        expect(output.length).toBeGreaterThan(1 - format.length);
        expect(output).not.toContain(FROM_VARIABLE);
        expect(output).not.toContain(LITERAL);
        expect(output).not.toContain(FROM_FILE);
      }
    },
  );

  it("are not shown when a change is undone", async () => {
    const added = await runCli(place, ["remove", "dev/broken"]);
    expect(added.code).toBe(0);
    for (const format of [[], ["--json"]]) {
      const { stdout, stderr } = await runCli(place, ["undo", ...format, "--dry-run"]);
      expect(stdout).toContain("--password");
      expect(stdout + stderr).not.toContain(LITERAL);
    }
  });

  it("are redacted without hiding the rest of a command line", async () => {
    const { stdout } = await runCli(place, ["doctor"]);
    expect(stdout).toMatch(/Start it by hand .* --api-key '\[redacted\]' --password/);
  });

  it("are not redacted where they are also the name of a server", async () => {
    const env = { DB_PASSWORD: "postgres" };
    configure({ storage: toolbox({ "postgres-main": { ...fixture(), env } }) });
    const { stdout } = await runCli(place, ["list"]);
    expect(stdout).toContain("postgres-main");
  });

  it("are not redacted in the results of tools, which are passed on verbatim", async () => {
    const { stdout } = await runCli(place, ["call", "dev/tools/echo", `text=${FROM_VARIABLE}`]);
    expect(stdout).toContain(FROM_VARIABLE);
  });
});
