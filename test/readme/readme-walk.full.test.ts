/**
 * Follows the README and the guide for new users as a new user would: in a fresh clone, with a fresh
 * home folder. In the full suite because npx has to start real servers within the default time-outs,
 * which takes an idle machine.
 */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";

import { STARTER_FILESYSTEM, STARTER_MEMORY } from "../../src/cli/setup/starter.ts";
import { type CliPlace, HAS_TERMINAL, type Turn, runInTerminal } from "../support/cli.ts";
import { perBlock } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { temporaryFolder } from "../support/workbench.ts";
import { type Shown, blocksOf, difference, readable, shownIn } from "./blocks.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const blocksIn = (page: string, language: string) =>
  blocksOf(readFileSync(join(ROOT, page), "utf8")).filter((block) => block.language === language);

/** All commands together take some 20 seconds on an idle machine, and minutes on a busy one. */
const WALK_MS = 600_000;
/** Enough that lines with the path of the temporary folder do not wrap. */
const WIDTH = 160;

const disposables = perBlock();
let clone = "";
let place: CliPlace;

const NOTES = "Buy milk.\n";
/** A user's Cursor settings; the packages are those that come with the repository. */
const CURSOR = `// added from the servers' own pages
{
  "mcpServers": {
    "filesystem": { "command": "npx", "args": ["-y", "${STARTER_FILESYSTEM}", "\${userHome}/src"] },
    "memory": { "command": "npx", "args": ["-y", "${STARTER_MEMORY}"] },
    "everything": { "command": "npx", "args": ["-y", "${STARTER_MEMORY.replace("memory", "everything")}"] },
  },
}
`;

beforeAll(() => {
  const folder = temporaryFolder(disposables);
  clone = join(folder, "mcp-workbench");
  // The content of a clone, including changes that are not committed yet.
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: ROOT });
  for (const file of files.toString().split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(ROOT, file), join(clone, file), { verbatimSymlinks: true });
  }
  // Replaces `npm ci`, which needs the network and has run before these tests.
  symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
  const home = join(folder, "home");
  for (const [file, text] of [
    [".cursor/mcp.json", CURSOR],
    ["src/notes.txt", NOTES],
  ] as const) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text);
  }
  const env = {
    HOME: home,
    PATH: process.env["PATH"] ?? "",
    TERM: "xterm",
    npm_config_offline: "true",
    npm_config_progress: "false",
    npm_config_update_notifier: "false",
    npm_config_loglevel: "error",
  };
  place = { home, cwd: clone, env };
  // In a clone, the first use of npx builds the program, like `npm ci`. So that this happens once, it is also
  // the build for the other commands. The compilers are written in Go; they may free memory less often.
  execFileSync("npx", ["mcp-workbench", "--version"], { cwd: clone, env: { ...env, GOGC: "400" } });
}, WALK_MS);

const cursor = (): string => readFileSync(join(place.home, ".cursor/mcp.json"), "utf8");

/** What to type where a line ends in a question: the answer that the page shows. */
const QUESTION = /^(.*(?:\[[Yy]\/[Nn]\]|\[no\]|Clients: \[1\])) (\S+)$/;
const turnsOf = ({ output }: Shown): readonly Turn[] =>
  output.flatMap((line) => {
    const [, question, answer] = QUESTION.exec(line) ?? [];
    return question === undefined ? [] : [[question, `${answer}\n`] as const];
  });

/** What must be true after a command that is shown with its output. */
const AFTER: Readonly<Record<string, () => void>> = {
  "npx mcp-workbench init": () => {
    expect(cursor()).toContain("// added from");
    expect(cursor()).toContain(join(clone, "dist/bin.cjs"));
    expect(cursor()).not.toContain("server-filesystem");
  },
  "npx mcp-workbench uninstall cursor": () => expect(cursor()).toBe(CURSOR),
};

/** How commands without documented output are tried. */
const TRIED: Readonly<Record<string, () => Promise<void>>> = {
  "npm ci && npm start": startsAndAnswers,
  "npm ci && npm test": async () => {
    // .ci/run begins with both on a clean clone.
    expect(readFileSync(join(clone, ".ci/run"), "utf8")).toMatch(/^npm ci\b.*\nnpm test$/m);
    expect(readlinkSync(join(clone, "node_modules"))).toBe(join(ROOT, "node_modules"));
  },
};

/** Any port, because the one of the example may be in use here. */
async function startsAndAnswers(): Promise<void> {
  const { scripts } = JSON.parse(readFileSync(join(clone, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  expect(scripts["start"]).toContain("serve --http 127.0.0.1:7333");
  const child = spawn("npm", ["start", "--", "--http", "127.0.0.1:0"], {
    cwd: clone,
    env: place.env,
    detached: true,
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise((done) => child.on("close", done));
  try {
    await waitFor(() => /"mcpServers"/.test(output), GENEROUS_MS, "how to connect");
    const [, address = ""] = /listens on (\S+)/.exec(output) ?? [];
    const [, file = ""] = /Bearer \$\(cat '(.+?)'\)/.exec(output) ?? [];
    const token = readFileSync(file, "utf8").trim();
    expect(output).toContain("claude mcp add --transport http workbench");
    const status = await fetch(`${address}/api/status`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(await status.json()).toMatchObject({
      toolboxes: [
        { servers: [{ name: "filesystem" }, { name: "memory" }] },
        { servers: [{ name: "everything" }] },
      ],
    });
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    await ended;
  }
}

// Without util-linux there is no way to a pseudo-terminal that needs no native module.
describe.skipIf(!HAS_TERMINAL)("a new user", () => {
  const commands = blocksIn("README.md", "sh").flatMap(({ lines }) =>
    lines.map((line) => line.replace(/\s+#.*$/, "")),
  );
  it.each(commands)(
    "finds a command in the README that works: %s",
    async (command) => {
      const tried = TRIED[command];
      expect(tried, "a command of the README that no test tries").toBeDefined();
      await tried?.();
    },
    WALK_MS,
  );

  it(
    "sees what docs/getting-started.md shows",
    async () => {
      const transcripts = blocksIn("docs/getting-started.md", "console").flatMap(shownIn);
      expect(transcripts.map(({ command }) => command)).toEqual(
        expect.arrayContaining(Object.keys(AFTER)),
      );
      for (const shown of transcripts) {
        const line = `stty cols ${WIDTH}; ${shown.command}`;
        const run = await runInTerminal(place, ["/bin/sh", "-c", line], turnsOf(shown));
        expect(run.code, run.screen).toBe(0);
        expect(difference(shown.output, readable(run.screen)), shown.command).toBeUndefined();
        AFTER[shown.command]?.();
      }
    },
    WALK_MS,
  );
});
