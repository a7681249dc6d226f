/**
 * The output of `--json` has the documented keys, for every command. All of them are started, which takes too
 * long for `npm test`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { COMMANDS } from "../../src/cli/commands/commands.ts";
import { type CliPlace, cliPlace, ownConfig, runCli, runJson } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { fixture, toolbox } from "../support/servers.ts";

const disposables = perTest();

function configured(): CliPlace {
  const place = cliPlace(disposables, { env: { EDITOR: "true" } });
  mkdirSync(join(place.home, ".cursor"));
  const mcpServers = { tools: fixture("--name", "tools") };
  writeFileSync(join(place.home, ".cursor/mcp.json"), JSON.stringify({ mcpServers }));
  const toolboxes = { dev: toolbox({ files: fixture("--name", "files") }, "For tests") };
  writeFileSync(ownConfig(place), JSON.stringify({ toolboxes }));
  return place;
}

/** Every form of every command; those that depend on others come after them. */
const RUNS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  init: [
    ["init", "--here", "--force", "--dry-run"],
    ["init", "--here", "--force", "--yes", "--no-connect", "--install", "cursor"],
  ],
  import: [["import", "--dry-run"], ["import"]],
  add: [["add", "more", "--dry-run", "--", "node"]],
  remove: [["remove", "dev/files", "--dry-run"]],
  move: [["move", "dev/files", "other"]],
  rename: [["rename", "dev/files", "notes"]],
  disable: [["disable", "dev/files"]],
  enable: [["enable", "dev"]],
  edit: [["edit"]],
  install: [
    ["install", "cursor", "--dry-run"],
    ["install", "cursor"],
  ],
  uninstall: [["uninstall", "cursor"]],
  undo: [["undo"]],
  lock: [["lock"], ["lock", "--check"]],
  diff: [["diff"]],
  trust: [
    ["trust", "--yes", "--config", ".config/mcp-workbench/workbench-config.json"],
    ["trust", "dev/files", "--yes"],
  ],
  secret: [
    ["secret", "set", "SOME_TOKEN"],
    ["secret", "list"],
    ["secret", "rm", "SOME_TOKEN"],
  ],
  logout: [["logout", "--all"]],
  auth: [["auth"]],
  list: [["list"], ["list", "dev"], ["list", "dev/files/echo"]],
  call: [["call", "dev/files/echo", "text=x"]],
  search: [["search", "echo"]],
  open: [["open", "dev"]],
  doctor: [["doctor"]],
  demo: [["demo"]],
  completion: [["completion", "bash"]],
  help: [["help"], ["help", "init"]],
  logs: [["logs"]],
  stop: [["stop", "--all"]],
  tokens: [["tokens"], ["tokens", "--used"]],
  token: [
    ["token", "create", "ci"],
    ["token", "list"],
    ["token", "rotate", "ci"],
    ["token", "revoke", "ci"],
  ],
  refresh: [["refresh"]],
};

/** Tested elsewhere: what they print depends on more than the command line. */
const OTHERS = new Set([
  "status",
  "login",
  "audit",
  "approvals",
  "approve",
  "deny",
  "decide",
  "registry",
  "dashboard",
]);

/** Optional keys of tools and servers. */
const SOMETIMES = new Set(["structuredContent", "isError", "servers_failed"]);

describe("the option --json", () => {
  it("is tested for every command that has it (status prints a list, login and audit print lines, approvals, registry and dashboard have their own tests)", () => {
    const documented = COMMANDS.filter(({ json }) => json.length > 0).map(({ name }) => name);
    expect(Object.keys(RUNS).toSorted()).toEqual(
      documented.filter((name) => !OTHERS.has(name)).toSorted(),
    );
  });

  it.each(Object.entries(RUNS))(
    "makes %s print exactly the documented keys",
    async (name, runs) => {
      const command = COMMANDS.find((one) => one.name === name);
      const documented = command?.json.flatMap(([keys]) => keys.split(", ")) ?? [];
      const place = configured();
      if (name === "uninstall" || name === "undo") await runCli(place, ["install", "cursor"]);
      if (name === "diff") await runCli(place, ["lock"]);
      const seen = new Set<string>();
      for (const args of runs) {
        const input = name === "secret" ? "a-value" : "";
        const { exit, ...document } = await runJson(place, args, { input });
        expect(exit, args.join(" ")).toBe(0);
        for (const key of Object.keys(document)) seen.add(key);
      }
      const expected = documented.filter((key) => key !== "…" && !SOMETIMES.has(key));
      expect([...seen]).toEqual(expect.arrayContaining(expected));
      // A result or definition of a server may have unknown keys.
      const isOpen = documented.includes("…");
      expect([...seen].filter((key) => !isOpen && !documented.includes(key))).toEqual([]);
    },
  );
});
