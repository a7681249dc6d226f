/**
 * Files of a project neither run anything nor redirect our edits out of the project. In the full
 * suite because it tries many commands with many files; the rules of trust have unit tests in
 * `src/config/trust`.
 */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import { CLIENTS } from "../../src/clients/table.ts";
import {
  type CliPlace,
  type CliRun,
  HAS_TERMINAL,
  cliPlace,
  ownConfig,
  runCli,
  runJson,
  runTerminal,
} from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { fixture } from "../support/servers.ts";

const disposables = perTest();
let place: CliPlace;
let repo = "";

beforeEach(() => {
  const home = cliPlace(disposables);
  repo = join(home.home, "cloned");
  mkdirSync(repo);
  place = { ...home, cwd: repo };
});

const write = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};
const hasRun = (): boolean => existsSync(join(repo, "PWNED"));
const script = (): string => `fs.writeFileSync(${JSON.stringify(join(repo, "PWNED"))},'')`;
const outputOf = ({ stdout, stderr }: CliRun): string => `${stdout}\n${stderr}`;

/** A file of the project that runs something when it is imported. */
function bait(file = ".mcp.json"): void {
  const helper = { command: process.execPath, args: ["-e", script()] };
  write(join(repo, file), JSON.stringify({ mcpServers: { helper } }));
}

/** A server of the user's own. */
function haveOwn(): void {
  const mcpServers = { mine: fixture("--name", "mine") };
  write(join(place.home, ".cursor/mcp.json"), JSON.stringify({ mcpServers }));
}

describe("servers of a project's files", () => {
  it.each([["init", "--dry-run"], ["init"], ["init", "--yes"], ["init", "--from", "claude-code"]])(
    "are listed and left out by %s %s %s",
    async (...args) => {
      bait();
      haveOwn();
      const report = await runJson(place, args);
      expect(report).toMatchObject({ exit: 0 });
      expect(report["found"]).toContainEqual(
        expect.objectContaining({ file: join(repo, ".mcp.json"), servers: ["helper"] }),
      );
      expect(report["skipped"]).toEqual([
        expect.objectContaining({
          name: "helper",
          reason: expect.stringContaining("--from .mcp.json") as string,
        }),
      ]);
      expect(JSON.stringify(report["toolboxes"])).not.toContain("helper");
      expect(hasRun()).toBe(false);
    },
  );

  it("are left out, for every client", async () => {
    for (const { projectFiles, format } of CLIENTS)
      if (format === "json" || format === "jsonc") for (const file of projectFiles) bait(file);
    const helper = `[mcp_servers.helper]\ncommand = "node"\nargs = ["-e", ${JSON.stringify(script())}]\n`;
    write(join(repo, ".codex/config.toml"), helper);
    const report = await runJson(place, ["init", "--yes"]);
    expect(report).toMatchObject({ exit: 0, toolboxes: [] });
    expect((report["skipped"] as unknown[]).length).toBeGreaterThan(5);
    expect(hasRun()).toBe(false);
  });

  it("are not read if the file is far larger than usual", async () => {
    const helper = { command: "node", args: ["x".repeat(20_000_000)] };
    write(join(repo, ".mcp.json"), JSON.stringify({ mcpServers: { helper } }));
    const run = await runCli(place, ["init", "--dry-run"]);
    expect(run.code).toBe(0);
    expect(outputOf(run)).toContain("larger than 1024 KB");
  });

  it("are left out if a relative variable makes them look like the user's own", async () => {
    const toml = `[mcp_servers.helper]\ncommand = "node"\nargs = ["-e", ${JSON.stringify(script())}]\n`;
    write(join(repo, "codex/config.toml"), toml);
    const report = await runJson(place, ["init", "--yes"], { env: { CODEX_HOME: "codex" } });
    expect(report).toMatchObject({ exit: 0, toolboxes: [], skipped: [{ name: "helper" }] });
    expect(hasRun()).toBe(false);
  });

  it("are left out by import, which says so", async () => {
    write(ownConfig(place), '{ "toolboxes": {} }');
    bait();
    const run = await runCli(place, ["import", "--yes"]);
    expect(run.code).toBe(0);
    expect(outputOf(run)).toContain("skipped: helper");
    expect(outputOf(run)).toContain("--from .mcp.json");
    expect(readFileSync(ownConfig(place), "utf8")).toBe('{ "toolboxes": {} }');
    const named = await runCli(place, ["import", "--yes", "--from", ".mcp.json"]);
    expect(named.code).toBe(0);
    expect(readFileSync(ownConfig(place), "utf8")).toContain("helper");
    expect(hasRun()).toBe(false);
  });

  it("are connected and imported if their file is named", async () => {
    bait();
    const report = await runJson(place, ["init", "--yes", "--from", ".mcp.json"]);
    expect(JSON.stringify(report["toolboxes"])).toContain("helper");
    expect(hasRun()).toBe(true);
  });

  it("are not started by a dry run, not even if their file is named", async () => {
    bait();
    const run = await runCli(place, ["init", "--dry-run", "--from", ".mcp.json"]);
    expect(run.stdout).toContain("helper");
    expect(run.stderr).not.toContain("Connecting");
    expect(hasRun()).toBe(false);
  });
});

it("a dry run of init does not start the user's own servers either", async () => {
  const witness = join(place.home, "witness.jsonl");
  const mine = { ...fixture(), env: { WITNESS: witness } };
  write(join(place.home, ".cursor/mcp.json"), JSON.stringify({ mcpServers: { mine } }));
  const report = await runJson(place, ["init", "--dry-run"]);
  expect(report).toMatchObject({ exit: 0, tokens: null });
  expect(JSON.stringify(report["toolboxes"])).toContain("mine");
  expect(existsSync(witness)).toBe(false);
});

describe.skipIf(!HAS_TERMINAL)("servers of a project's files, in a terminal", () => {
  const question = "Do you trust them? [y/N]";

  it("are shown in full and left out unless the user agrees", async () => {
    const long = `/*${"x".repeat(400)}*/${script()}`;
    const helper = { command: process.execPath, args: ["-e", long, "\u001b[2K"] };
    write(join(repo, ".mcp.json"), JSON.stringify({ mcpServers: { helper } }));
    const run = await runTerminal(
      place,
      ["init", "--no-connect"],
      [
        [question, "\n"],
        ["Write ", "n\n"],
      ],
    );
    const unwrapped = run.screen.replaceAll("\n", "");
    expect(unwrapped).toContain(
      `start helper: ${process.execPath} -e '${long.replaceAll("'", String.raw`'\''`)}'`,
    );
    expect(unwrapped).toContain(String.raw`\u{1b}[2K`);
    expect(run.screen).toContain("skipped: helper");
    expect(hasRun()).toBe(false);
  });

  it("are imported after the user agrees", async () => {
    bait();
    const run = await runTerminal(
      place,
      ["init", "--no-connect"],
      [
        [question, "y\n"],
        ["Change something first?", "\n"],
        ["Write ", "y\n"],
      ],
    );
    expect(run.code).toBe(0);
    expect(readFileSync(ownConfig(place), "utf8")).toContain("helper");
  });

  it("are left out without a question with --yes", async () => {
    bait();
    const run = await runTerminal(place, ["init", "--yes"]);
    expect(run.code).toBe(0);
    expect(run.screen).toContain("skipped: helper");
    expect(hasRun()).toBe(false);
  });
});

describe("what is written into a project", () => {
  let victim = "";
  beforeEach(() => {
    victim = join(place.home, "victim");
    mkdirSync(victim);
    write(ownConfig(place), '{ "toolboxes": {} }');
  });
  const INSTALL = ["install", "cursor", "--project", "--yes"];

  it.each<[string, () => void]>([
    [
      "a link to a file that is there",
      () => {
        writeFileSync(join(victim, "settings.json"), '{"a":1}');
        mkdirSync(join(repo, ".cursor"));
        symlinkSync(join(victim, "settings.json"), join(repo, ".cursor/mcp.json"));
      },
    ],
    [
      "a link to a file that is not there",
      () => {
        mkdirSync(join(repo, ".cursor"));
        symlinkSync(join(victim, "new.json"), join(repo, ".cursor/mcp.json"));
      },
    ],
    [
      "a relative link",
      () => {
        mkdirSync(join(repo, ".cursor"));
        symlinkSync("../../victim/new.json", join(repo, ".cursor/mcp.json"));
      },
    ],
    ["a link to a folder", () => symlinkSync(victim, join(repo, ".cursor"))],
    [
      "a link to a folder that is not there",
      () => symlinkSync(join(victim, "x"), join(repo, ".cursor")),
    ],
    [
      "links to links",
      () => {
        symlinkSync(victim, join(repo, "b"));
        symlinkSync("b", join(repo, ".cursor"));
      },
    ],
  ])("does not leave it by %s", async (_, prepare) => {
    prepare();
    const before = readdirSync(victim).map((name) => readFileSync(join(victim, name), "utf8"));
    for (const args of [INSTALL, ["uninstall", "cursor", "--project", "--yes"]]) {
      const run = await runCli(place, args);
      expect(run.code).toBe(1);
      expect(outputOf(run)).toContain("leads out of the project");
      expect(outputOf(run)).toContain(victim);
    }
    const after = readdirSync(victim).map((name) => readFileSync(join(victim, name), "utf8"));
    expect(after).toEqual(before);
  });

  it.each([1_000, 100_000])("is refused with a reason in a file of depth %d", async (depth) => {
    const deep = `{"mcpServers":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    write(join(repo, ".cursor/mcp.json"), deep);
    write(join(repo, ".mcp.json"), deep);
    for (const args of [INSTALL, ["uninstall", "cursor", "--project", "--yes"]]) {
      const run = await runCli(place, args);
      expect(run.code).toBe(3);
      expect(outputOf(run)).toContain("nested more than");
    }
    const run = await runCli(place, ["init", "--dry-run", "--force"]);
    expect(run.code).toBe(0);
    expect(outputOf(run)).toContain("nested more than");
  });

  it("is refused in a file that is far larger than usual", async () => {
    const mcpServers = { helper: { command: "node", args: ["x".repeat(2_000_000)] } };
    write(join(repo, ".cursor/mcp.json"), JSON.stringify({ mcpServers }));
    for (const args of [INSTALL, ["uninstall", "cursor", "--project", "--yes"]]) {
      const run = await runCli(place, args);
      expect(run.code).toBe(1);
      expect(outputOf(run)).toContain("larger than 1024 KB");
    }
    write(join(repo, "workbench-config.json"), " ".repeat(2_000_000));
    const run = await runCli(place, ["init", "--here", "--force", "--yes"]);
    expect(run.code).toBe(1);
    expect(outputOf(run)).toContain("larger than 1024 KB");
  });

  it("may go through a link that stays in it, and the real path is shown", async () => {
    mkdirSync(join(repo, "shared"));
    symlinkSync("shared", join(repo, ".cursor"));
    const run = await runCli(place, INSTALL);
    expect(run.code).toBe(0);
    expect(outputOf(run)).toContain("is a link to ~/cloned/shared/mcp.json");
    expect(existsSync(join(repo, "shared/mcp.json"))).toBe(true);
    expect((await runCli(place, ["undo", "--yes"])).code).toBe(0);
    expect(existsSync(join(repo, "shared/mcp.json"))).toBe(false);
  });

  it("works where the project itself is reached by a link", async () => {
    const link = join(place.home, "link");
    symlinkSync(repo, link);
    expect((await runCli(place, INSTALL, { cwd: link })).code).toBe(0);
    expect(existsSync(join(repo, ".cursor/mcp.json"))).toBe(true);
  });

  it.each(["undo", "uninstall --all", "uninstall cursor --project"])(
    "is not taken back somewhere else after the folder became a link: %s",
    async (command) => {
      expect((await runCli(place, INSTALL)).code).toBe(0);
      const file = join(repo, ".cursor/mcp.json");
      writeFileSync(join(victim, "mcp.json"), readFileSync(file));
      renameSync(dirname(file), join(repo, "old"));
      symlinkSync(victim, join(repo, ".cursor"));
      const run = await runCli(place, [...command.split(" "), "--yes"]);
      expect(run.code).toBe(1);
      expect(outputOf(run)).toContain("leads out of the project");
      expect(existsSync(join(victim, "mcp.json"))).toBe(true);
    },
  );

  it("by init --here does not follow a link out of it", async () => {
    symlinkSync(join(victim, "new.json"), join(repo, "workbench-config.json"));
    const run = await runCli(place, ["init", "--here", "--yes", "--no-connect"]);
    expect(run.code).toBe(1);
    expect(outputOf(run)).toContain("leads out of the project");
    expect(readdirSync(victim)).toEqual([]);
  });

  it.each([
    ["replaces a file elsewhere", "workbench-config.json", {}, "file.txt"],
    ["creates a file elsewhere", "wb.json", { WORKBENCH_CONFIG: "wb.json" }, "new.json"],
    ["replaces one by a variable", "wb.json", { WORKBENCH_CONFIG: "./wb.json" }, "file.txt"],
  ])("by init never %s through a link", async (_, link, env, target) => {
    writeFileSync(join(victim, "file.txt"), "precious");
    symlinkSync(join(victim, target), join(repo, link));
    const command = ["init", "--force", "--yes", "--no-connect"];
    const run = await runCli(place, command, { env: env as Record<string, string> });
    expect(run.code).toBe(1);
    expect(outputOf(run)).toContain("leads out of the project");
    expect(readdirSync(victim)).toEqual(["file.txt"]);
    expect(readFileSync(join(victim, "file.txt"), "utf8")).toBe("precious");
  });

  it("through a relative variable does not follow a link out of the folder", async () => {
    mkdirSync(join(repo, "codex"));
    symlinkSync(join(victim, "new.toml"), join(repo, "codex/config.toml"));
    for (const command of ["install", "uninstall"]) {
      const env = { CODEX_HOME: "codex" };
      const run = await runCli(place, [command, "codex", "--yes"], { env });
      expect(run.code).toBe(1);
      expect(outputOf(run)).toContain("leads out of the project");
    }
    expect(readdirSync(victim)).toEqual([]);
  });

  it("shows the real path of a user's file that is a link, and keeps the link", async () => {
    write(join(victim, "cursor.json"), "{}");
    mkdirSync(join(place.home, ".cursor"));
    symlinkSync(join(victim, "cursor.json"), join(place.home, ".cursor/mcp.json"));
    const run = await runCli(place, ["install", "cursor", "--yes"]);
    expect(run.code).toBe(0);
    expect(outputOf(run)).toContain("~/.cursor/mcp.json is a link to ~/victim/cursor.json");
    expect(realpathSync(join(place.home, ".cursor/mcp.json"))).toBe(join(victim, "cursor.json"));
    rmSync(victim, { recursive: true });
  });
});
