/**
 * Every command in a terminal: what people see and are asked. In the full suite because it tries
 * every command; `npm test` has the prompts in `src/cli/output`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import {
  CTRL_C,
  CTRL_D,
  type CliPlace,
  HAS_TERMINAL,
  cliPlace,
  ownConfig,
  runTerminal,
  shownLines,
} from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { Witness, fixture, toolbox } from "../support/servers.ts";

const disposables = perTest();
let place: CliPlace;
let witness: Witness;
let config = "";

beforeEach(() => {
  place = cliPlace(disposables);
  witness = new Witness(join(place.home, "witness.jsonl"));
  config = ownConfig(place);
});

const configure = (): void => {
  const files = { ...fixture("--name", "files"), env: { WITNESS: witness.file } };
  const toolboxes = { dev: toolbox({ files }, "For tests") };
  writeFileSync(config, JSON.stringify({ toolboxes }, undefined, 2));
};
const userConfig = (): string => join(place.home, ".config/mcp-workbench/workbench-config.json");
/** A client with one server that works. */
const haveCursor = (): string => {
  const file = join(place.home, ".cursor", "mcp.json");
  mkdirSync(join(place.home, ".cursor"), { recursive: true });
  const { command, args } = fixture("--name", "tools");
  const github = { command, args, env: { GITHUB_TOKEN: `ghp_${"a1B2c3D4e5F6".repeat(3)}` } };
  writeFileSync(file, `// mine\n${JSON.stringify({ mcpServers: { github } }, undefined, 2)}\n`);
  return file;
};

// oxlint-disable-next-line no-control-regex -- an escape is what this looks for
const COLOUR = /\u001b\[\d+m/;

// Without util-linux there is no way to a pseudo-terminal that needs no native module.
describe.skipIf(!HAS_TERMINAL)("in a terminal", () => {
  it("the program without a command shows the state of things and the next step", async () => {
    const before = await runTerminal(place, []);
    expect(before.code).toBe(0);
    expect(before.screen).toContain("Configuration  none yet");
    expect(before.screen).toContain("Next: mcp-workbench init");
    configure();
    const after = await runTerminal(place, []);
    expect(after.screen).toContain("1 toolbox, 1 server");
    expect(after.screen).toContain("Next: mcp-workbench install CLIENT");
    const entry = { command: "npx", args: ["-y", "mcp-workbench", "serve"] };
    mkdirSync(join(place.home, ".cursor"));
    const mcpServers = JSON.stringify({ mcpServers: { byHand: entry } });
    writeFileSync(join(place.home, ".cursor/mcp.json"), mcpServers);
    const installed = await runTerminal(place, []);
    expect(installed.screen).toMatch(/Installed in +Cursor\n/);
    expect(installed.screen).toContain("Next: mcp-workbench doctor");
    writeFileSync(config, "{");
    const broken = await runTerminal(place, []);
    expect(broken.code).toBe(3);
    expect(broken.screen).toContain("Next: fix the configuration");
  });

  it("list, open, search and help write colours, unless NO_COLOR is set", async () => {
    configure();
    for (const args of [["list", "dev"], ["open", "dev"], ["search", "echo"], ["help"]]) {
      expect((await runTerminal(place, args)).raw).toMatch(COLOUR);
      const plain = await runTerminal(place, args, [], { env: { NO_COLOR: "1" } });
      expect(plain.raw).not.toMatch(COLOUR);
      expect(plain.code).toBe(0);
    }
  });

  it("call shows progress while the tool runs", async () => {
    configure();
    const { raw, screen, code } = await runTerminal(place, ["call", "dev/files/progress", "n=2"]);
    expect(code).toBe(0);
    expect(raw).toContain("connecting dev/files");
    expect(screen).toContain("2/2 step 2 of 2");
  });

  it("call escapes the control characters in a result", async () => {
    configure();
    const { raw } = await runTerminal(place, [
      "call",
      "dev/files/echo",
      "text=\u001b]0;title\u0007",
    ]);
    expect(raw).toContain("\\u001b]0;title\\u0007");
    expect(raw).not.toContain("\u001b]0;");
  });

  it("call passes the questions of a server on to the user", async () => {
    configure();
    const { code, screen } = await runTerminal(
      place,
      ["call", "dev/files/elicit"],
      [
        ["Answer? [Y/n]", "y\n"],
        ["ok (boolean, optional):", "yes\n"],
      ],
    );
    expect(code).toBe(0);
    expect(screen).toContain("[dev/files] Are you sure?");
    expect(screen.replaceAll(/\s/g, "")).toContain(
      '{"result":{"action":"accept","content":{"ok":true}}}',
    );
    const declined = await runTerminal(place, ["call", "dev/files/elicit"], [["Answer?", "n\n"]]);
    expect(declined.screen).toContain("decline");
  });

  it("Ctrl-C cancels a running call", async () => {
    configure();
    const { code, screen } = await runTerminal(
      place,
      ["call", "dev/files/sleep", "ms=60000"],
      [["calling sleep", CTRL_C]],
    );
    expect(code).toBe(130);
    expect(screen).toContain("Stopping…");
    await waitFor(
      () => witness.messages("notifications/cancelled").length,
      GENEROUS_MS,
      "the cancellation",
    );
    expect(witness.messages("notifications/cancelled").length).toBe(1);
  });

  it("init imports the servers of a client and installs the workbench in it", async () => {
    const cursor = haveCursor();
    const original = readFileSync(cursor, "utf8");
    const { code, screen } = await runTerminal(
      place,
      ["init"],
      [
        ["Change something first? [no]", "move github mine\n"],
        ["Change something first? [no]", "\n"],
        ["Write ~/.config/mcp-workbench/workbench-config.json?", "\n"],
        ["Clients: [1]", "\n"],
        ["Remove 1 entry that the workbench now provides from these clients? [Y/n]", "\n"],
        ["Write this to ~/.cursor/mcp.json? [Y/n]", "\n"],
      ],
    );
    expect(code).toBe(0);
    expect(screen).toContain("Found 1 server in 1 file");
    expect(screen).toMatch(/✓ mine\/github {2}36 tools/);
    expect(screen).toMatch(/Without the workbench +36 tools {2}[\d,]+ tokens/);
    expect(screen).toContain("1 secret moved to ~/.config/mcp-workbench/secrets.env");
    expect(screen).toContain("  + workbench\n  - github\n");
    expect(screen).toContain("The server works.");
    expect(screen).toContain("✓ Cursor now has the workbench");
    expect(screen).not.toContain("a1B2c3");
    const written = readFileSync(userConfig(), "utf8");
    expect(written).toContain('"GITHUB_TOKEN": "${GITHUB_TOKEN}"');
    const installed = readFileSync(cursor, "utf8");
    expect(installed).toContain("// mine");
    expect(installed).not.toContain("ghp_");
    const undone = await runTerminal(
      place,
      ["undo"],
      [["Write this to ~/.cursor/mcp.json?", "y\n"]],
    );
    expect(undone.screen).toContain("Undoing: install cursor");
    expect(readFileSync(cursor, "utf8")).toBe(original);
  });

  it("init changes nothing when the user says no, presses Ctrl-C or closes the terminal", async () => {
    const cursor = haveCursor();
    const original = readFileSync(cursor, "utf8");
    const args = ["init", "--no-connect"];
    expect(
      (
        await runTerminal(place, args, [
          ["Change something first?", "\n"],
          ["Write ~/", "n\n"],
        ])
      ).code,
    ).toBe(0);
    const stopped = await runTerminal(place, args, [["Change something first?", CTRL_C]]);
    expect(stopped.code).toBe(130);
    expect(shownLines(stopped).filter((line) => line !== "")).toContain("Stopping…");
    expect((await runTerminal(place, args, [["Change something first?", CTRL_D]])).code).toBe(130);
    expect(existsSync(userConfig())).toBe(false);
    expect(readFileSync(cursor, "utf8")).toBe(original);
  });

  it("init copies secrets only when the user wants it", async () => {
    haveCursor();
    await runTerminal(
      place,
      ["init", "--no-connect", "--secrets", "keep"],
      [
        ["Change something first?", "\n"],
        ["Write ~/", "y\n"],
        ["Clients:", "none\n"],
      ],
    );
    const written = readFileSync(userConfig(), "utf8");
    expect(written).toContain("ghp_a1B2c3");
  });

  it("add, import, remove and undo show the difference, and ask before something is lost", async () => {
    haveCursor();
    configure();
    const added = await runTerminal(place, ["add", "notes", "--", "node", "./notes.js"]);
    expect(added.screen).toContain('+        "notes": {');
    const asked = await runTerminal(place, ["remove", "notes"], [["Write this to", "n\n"]]);
    expect(asked.screen).toContain("Nothing was changed.");
    expect(readFileSync(config, "utf8")).toContain("notes");
    const imported = await runTerminal(place, ["import"], [["Write this to", "y\n"]]);
    expect(imported.screen).toContain('+    "code"');
    const undone = await runTerminal(place, ["undo"], [["Write this to", "y\n"]]);
    expect(undone.screen).toContain("Undoing: import 1 server");
    expect(readFileSync(config, "utf8")).not.toContain("code");
  });

  it("install and uninstall ask first, and offer the clients that are there", async () => {
    const cursor = haveCursor();
    const original = readFileSync(cursor, "utf8");
    configure();
    const chosen = await runTerminal(
      place,
      ["install"],
      [
        ["Clients:", "all\n"],
        ["Write this to ~/.cursor/mcp.json?", "y\n"],
      ],
    );
    expect(chosen.screen).toContain("1) Cursor");
    expect(readFileSync(cursor, "utf8")).toContain("workbench");
    const kept = await runTerminal(place, ["uninstall", "cursor"], [["Write this to", "n\n"]]);
    expect(kept.code).toBe(0);
    expect(readFileSync(cursor, "utf8")).toContain("workbench");
    await runTerminal(place, ["uninstall", "cursor"], [["Write this to", "\n"]]);
    expect(readFileSync(cursor, "utf8")).toBe(original);
  });

  it("doctor, demo and completion print what they print without one", async () => {
    configure();
    const doctor = await runTerminal(place, ["doctor"]);
    expect(doctor.screen).toContain("✓ dev/files: 36 tools");
    const demo = await runTerminal(place, ["demo"]);
    expect(demo.code).toBe(0);
    expect(demo.screen).toContain("The sum of 20 and 22 is 42.");
    expect((await runTerminal(place, ["completion", "bash"])).screen).toContain("complete -F");
  });

  it("refresh, tokens and status print what they print without one", async () => {
    configure();
    const refresh = await runTerminal(place, ["refresh"]);
    expect(refresh.code).toBe(0);
    expect(refresh.screen).toContain("✓ dev/files: 36 tools");
    const tokens = await runTerminal(place, ["tokens"]);
    expect(tokens.screen).toMatch(/^dev +36 /m);
    expect(tokens.screen).toContain("Every conversation starts with");
    const status = await runTerminal(place, ["status"]);
    expect(status.code).toBe(0);
    expect(status.screen).toContain("No workbench is running.");
  });

  it("a mistake is reported in red, with a way out", async () => {
    const { code, raw, screen } = await runTerminal(place, ["instal"]);
    expect(code).toBe(2);
    expect(raw).toContain("\u001b[31mmcp-workbench:\u001b[39m");
    expect(screen).toContain("Unknown command 'instal'\nDid you mean 'install'?");
  });
});
