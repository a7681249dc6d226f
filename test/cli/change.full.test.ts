/**
 * The commands that change an existing configuration: move, rename, disable, enable, edit. In the
 * full suite because it runs two programs for each case.
 */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import {
  type CliPlace,
  HAS_TERMINAL,
  cliPlace,
  ownConfig,
  runCli,
  runJson,
  runTerminal,
} from "../support/cli.ts";
import { failureOf, textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import type { Response } from "../support/raw-client.ts";
import { fixture, toolbox } from "../support/servers.ts";
import { startWorkbench } from "../support/workbench.ts";

const disposables = perTest();
let place: CliPlace;
let config = "";

const CONFIG = `// my servers
{
  "toolboxes": {
    // everyday work
    "code": {
      "description": "github, stripe: source code, reviews, issues and builds",
      "mcpServers": {
        "github": { "command": "node", "args": ["github.js"] }, // first
        "stripe": {
          // the live account
          "command": "node",
        },
      },
    },
    "web": {
      "description": "My browser",
      "mcpServers": { "playwright": { "command": "node", "enabled": false } },
    },
  },
}
`;

beforeEach(() => {
  place = cliPlace(disposables);
  config = ownConfig(place);
  writeFileSync(config, CONFIG, { mode: 0o600 });
});

const run = (...args: string[]) => runCli(place, args);
const json = (...args: string[]) => runJson(place, args);
const read = (): string => readFileSync(config, "utf8");

/** An editor that runs a script of the given text, with the file as its argument. */
function editor(script: string): Record<string, string> {
  const file = join(place.home, "my editor");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return { EDITOR: `'${file}' --wait`, PATH: `${place.env["PATH"]}:/usr/bin:/bin` };
}

describe("mcp-workbench move", () => {
  it("creates the toolbox, keeps comments and updates generated descriptions", async () => {
    expect(await json("move", "stripe", "business")).toMatchObject({
      exit: 0,
      changed: true,
      toolbox: "business",
      servers: [{ from: "code", server: "stripe" }],
    });
    const text = read();
    expect(text).toContain('"description": "github: source code, reviews, issues and builds"');
    expect(text).toContain('"description": "stripe: customers, payments and shops"');
    for (const comment of ["// my servers", "// everyday work", "// first", "// the live account"])
      expect(text).toContain(comment);
    await run("move", "business/stripe", "code");
    expect(read()).toContain('"github, stripe: source code, reviews, issues and builds"');
    expect(read()).not.toContain("business");
    await run("undo");
    await run("undo");
    expect(read()).toBe(CONFIG);
  });

  it("removes a toolbox that loses its last server, and says so", async () => {
    const { stderr } = await run("move", "web/playwright", "code");
    expect(stderr).toContain("Toolbox 'web' has no servers left and is removed.");
    const { toolboxes } = await json("list");
    expect(toolboxes).toMatchObject([{ name: "code" }]);
  });
});

describe("mcp-workbench rename", () => {
  it("renames a server, and its name in a generated description", async () => {
    expect(await json("rename", "code/github", "hub")).toMatchObject({ exit: 0, name: "hub" });
    expect(read()).toBe(CONFIG.replace("github,", "hub,").replace('"github"', '"hub"'));
  });

  it("renames a toolbox and leaves descriptions of the user alone", async () => {
    expect(await json("rename", "web", "browser")).toMatchObject({ toolbox: "web", server: null });
    expect(read()).toBe(CONFIG.replace('"web"', '"browser"'));
    await run("rename", "--toolbox", "browser", "net");
    expect(read()).toBe(CONFIG.replace('"web"', '"net"'));
    await run("rename", "playwright", "pw");
    expect(read()).toContain('"description": "My browser"');
  });
});

describe("a change to what a client sees of the configuration", () => {
  it("reports that the client knows the old name", async () => {
    mkdirSync(join(place.home, ".cursor"));
    const showing = (...view: string[]) => ({
      command: "npx",
      args: ["mcp-workbench", "serve", ...view],
    });
    const mcpServers = {
      workbench: showing("--toolbox", "web"),
      github: showing("--server", "dev/github"),
      stripe: showing("--server=dev/stripe"),
    };
    const text = JSON.stringify({ mcpServers });
    writeFileSync(join(place.home, ".cursor/mcp.json"), text);
    expect((await run("rename", "code", "dev")).stderr).not.toContain("Cursor");
    const { stderr } = await run("rename", "web", "net");
    expect(stderr).toContain("Cursor still asks for 'web' (--toolbox)");
    expect((await run("move", "dev/github", "net")).stderr).toContain(
      "Cursor still asks for 'dev/github' (--server)",
    );
    expect((await run("rename", "dev", "code")).stderr).toContain("'dev/stripe' (--server)");
    await run("rename", "code", "dev");
    expect((await run("remove", "dev/stripe", "--yes")).stderr).toContain("'dev/stripe'");
  });
});

describe("mcp-workbench disable and enable", () => {
  it("switch servers off and on, without a trace", async () => {
    expect(await json("disable", "code")).toMatchObject({
      exit: 0,
      servers: [
        { toolbox: "code", server: "github" },
        { toolbox: "code", server: "stripe" },
      ],
    });
    expect(read().match(/"disabled": true/g)).toHaveLength(2);
    expect((await run("disable", "code/github")).stderr).toContain("Already disabled.");
    await run("enable", "github", "stripe");
    expect(read()).toBe(CONFIG);
    await run("enable", "web");
    expect(read()).toBe(CONFIG.replace(', "enabled": false', ""));
  });
});

describe("mcp-workbench add and remove", () => {
  it("keep generated descriptions up to date", async () => {
    await run("add", "jira", "--toolbox", "code", "--", "node");
    expect(read()).toContain('"github, stripe, jira: source code, reviews, issues and builds"');
    await run("remove", "code/stripe");
    expect(read()).toContain('"github, jira: source code, reviews, issues and builds"');
    await run("add", "fetch", "--toolbox", "web", "--", "node");
    expect(read()).toContain('"description": "My browser"');
  });

  it("remove a toolbox with its last server, and explain the name of a toolbox", async () => {
    const { stderr } = await run("remove", "web/playwright");
    expect(stderr).toContain("playwright is the last server of toolbox 'web', which is removed");
    expect(read()).not.toContain('"web"');
    expect(await json("remove", "code")).toMatchObject({
      exit: 2,
      error: {
        message: "'code' is a toolbox with 2 servers",
        hint: "To remove all of it: mcp-workbench remove --toolbox code",
      },
    });
  });
});

describe("mcp-workbench edit", () => {
  it("writes what the editor wrote, with a backup and undo", async () => {
    const env = editor(`[ "$1" = --wait ] && sed -i 's/github.js/hub.js/' "$2"`);
    const report = await runJson(place, ["edit"], { env });
    expect(report).toMatchObject({ exit: 0, file: config, changed: true });
    expect(read()).toBe(CONFIG.replace("github.js", "hub.js"));
    await run("undo");
    expect(read()).toBe(CONFIG);
    expect(await runJson(place, ["edit"], { env: editor("true") })).toMatchObject({
      exit: 0,
      changed: false,
    });
  });

  it("refuses an invalid file and keeps the edit", async () => {
    const { code, stderr } = await runCli(place, ["edit"], { env: editor(`echo '{' > "$2"`) });
    expect(code).toBe(3);
    expect(read()).toBe(CONFIG);
    const [, copy = ""] = /It is still in (\S+)/.exec(stderr) ?? [];
    expect(readFileSync(copy, "utf8")).toBe("{\n");
  });

  it("needs a terminal or an editor of the user's choice", async () => {
    expect(await json("edit")).toMatchObject({
      exit: 2,
      error: { message: "There is no terminal to edit in" },
    });
  });

  it("reports an editor that fails", async () => {
    const { code, stderr } = await runCli(place, ["edit"], { env: editor("exit 7") });
    expect(code).toBe(2);
    expect(stderr).toContain("failed: exit code 7");
    expect(read()).toBe(CONFIG);
  });

  it.skipIf(!HAS_TERMINAL)("asks again in a terminal until the file is valid", async () => {
    // The first time it writes an unknown key, the second time a valid file.
    const flag = join(place.home, "again");
    const env = editor(
      `if [ -e '${flag}' ]; then sed -i 's/"colour"/"args"/' "$2"; else touch '${flag}'; sed -i 's/"args"/"colour"/' "$2"; fi`,
    );
    const { code, screen } = await runTerminal(place, ["edit"], [["Edit it again? [Y/n]", "\n"]], {
      env,
    });
    expect(code).toBe(0);
    expect(screen).toContain("colour: unknown key");
    expect(read()).toBe(CONFIG);
    const no = await runTerminal(place, ["edit"], [["Edit it again?", "n\n"]], {
      env: editor(`echo nonsense > "$2"`),
    });
    expect(no.screen).toContain("Nothing was changed.");
    expect(read()).toBe(CONFIG);
  });
});

describe("the commands that change a configuration", () => {
  it.each([
    [["move", "nothing", "code"], "No toolbox has a server 'nothing'"],
    [["move", "github", "a__b"], "'a__b' cannot be used"],
    [["move", "github"], "Missing argument"],
    [["rename", "github", "stripe"], "Toolbox 'code' already has a server 'stripe'"],
    [["rename", "web", "code"], "There is already a toolbox 'code'"],
    [["rename", "github"], "Missing argument"],
    [["disable", "cod/github"], "Toolbox 'cod' not found"],
    [["disable"], "Name a server or a toolbox to disable"],
    [["enable", "githb"], "Did you mean 'github'?"],
  ])("explain the mistake in %j and write nothing", async (args, message) => {
    const { code, stderr } = await run(...args);
    expect([2, 3]).toContain(code);
    expect(stderr).toContain(message);
    expect(read()).toBe(CONFIG);
  });
});

describe("a running workbench", () => {
  it("applies what move, rename and disable write", async () => {
    const toolboxes = { dev: toolbox({ one: fixture(), two: fixture() }, "Tools of one, two") };
    const workbench = await startWorkbench(disposables, { log: { level: "info" }, toolboxes });
    const { client, configFile } = workbench;
    const applied = (): number => client.stderr.split("configuration applied").length;
    const change = async (...args: string[]): Promise<void> => {
      const before = applied();
      expect((await run(...args, "--config", configFile)).code).toBe(0);
      await client.when(() => applied() > before, "the configuration to be applied");
    };
    await change("move", "two", "other");
    await change("rename", "other/two", "second");
    const echo = async (server: string): Promise<Response> =>
      useTool(client, `${server}/echo`, { text: "hi" });
    expect(textOf(await echo("other/second"))).toBe("hi");
    await change("disable", "other/second");
    expect(failureOf(await echo("other/second"))).toContain("disabled");
    expect(textOf(await echo("dev/one"))).toBe("hi");
  });
});
