import { describe, expect, it } from "vitest";

import { fakeTerminal } from "../../../test/support/fake-terminal.ts";
import { readArguments } from "../core/arguments.ts";
import type { Command } from "../core/command.ts";
import { COMMANDS } from "./commands.ts";
import { SERVE } from "./serve.ts";
import { commandHelp, programHelp, requireCommand } from "../help.ts";
import { readServeOptions } from "../serve/serve.ts";

const commandOf = (name: string): Command => requireCommand(name);

/** The words of an example as a shell would see them. */
function words(line: string): string[] {
  const found = line.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  const command = found.slice(0, found.findIndex((word) => /^>{1,2}$/.test(word)) >>> 0);
  return command.map((word) => word.replaceAll(/^['"]|['"]$/g, ""));
}

describe("the table of commands", () => {
  it("has each command name once, and each option once per command", () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { options } of COMMANDS) {
      const all = options.flatMap(({ name, short }) => [
        name,
        ...(short === undefined ? [] : [short]),
      ]);
      expect(new Set([...all, "json", "no-color", "help", "h"]).size).toBe(all.length + 4);
    }
  });

  it.each(COMMANDS)("explains $name with a usage and examples that it accepts", (command) => {
    const { name, usage, examples, summary } = command;
    for (const form of usage) expect(form.split(" ")[0]).toBe(name);
    expect(examples.length).toBeGreaterThan(0);
    expect(summary).not.toMatch(/\.$/);
    for (const { command: line } of examples) {
      const [first, ...args] = words(line);
      expect(first).toBe(name);
      expect(() => readArguments(command, args)).not.toThrow();
    }
  });

  it("documents the --json output of every command that ends", () => {
    for (const { name, json } of COMMANDS) expect(json.length > 0).toBe(name !== "serve");
  });

  it.each(SERVE.options)("has no option for serve that is ignored: --$name", (option) => {
    const given = readServeOptions([`--${option.name}`, ...(option.value ? ["x"] : [])]);
    const value = option.value === undefined ? true : option.multiple ? ["x"] : "x";
    expect({ ...given }).toMatchObject({ [option.name]: value });
  });

  it.each([["--json"], ["--no-color"], ["word"], ["--", "word"]])(
    "has a row for serve that rejects %s",
    (...args) => {
      expect(() => readServeOptions(args)).toThrow(expect.objectContaining({ code: "USAGE" }));
    },
  );
});

describe("the help text", () => {
  it("lists every command", () => {
    const text = programHelp(fakeTerminal().out);
    for (const { name, summary } of COMMANDS) {
      expect(text).toContain(name);
      expect(text).toContain(summary);
    }
  });

  it("shows the options and examples of a command", () => {
    const text = commandHelp(commandOf("add"), fakeTerminal().out);
    expect(text).toContain("-e, --env NAME=VALUE");
    expect(text).toContain("--json");
    expect(text).toContain("mcp-workbench add files --toolbox dev --");
    expect(commandHelp(commandOf("serve"), fakeTerminal().out)).not.toContain("--json");
  });

  it("suggests the command that was probably meant", () => {
    expect(() => commandOf("instal")).toThrow(
      expect.objectContaining({ code: "USAGE", hint: "Did you mean 'install'?" }),
    );
    expect(() => commandOf("xyzzy")).toThrow(
      expect.objectContaining({ hint: "See mcp-workbench --help" }),
    );
  });
});

describe("readArguments", () => {
  it("separates words, options and what follows --", () => {
    const typed = "files --toolbox dev -e A=1 --env=B=2 --dry-run -- npx -y server --json";
    const args = readArguments(commandOf("add"), typed.split(" "));
    expect(args.words).toEqual(["files"]);
    expect(args.text("toolbox")).toBe("dev");
    expect(args.list("env")).toEqual(["A=1", "B=2"]);
    expect(args.flag("dry-run")).toBe(true);
    expect(args.flag("json")).toBe(false);
    expect(args.rest).toEqual(["npx", "-y", "server", "--json"]);
    expect(args.hasRest).toBe(true);
  });

  it("suggests the option that was probably meant", () => {
    expect(() => readArguments(commandOf("add"), ["x", "--tolbox", "dev"])).toThrow(
      expect.objectContaining({
        code: "USAGE",
        message: "Unknown option '--tolbox'",
        hint: "Did you mean '--toolbox'?",
      }),
    );
    expect(() => readArguments(commandOf("serve"), ["--confg", "x"], [])).toThrow(
      expect.objectContaining({ hint: "Did you mean '--config'?" }),
    );
  });

  it.each([
    ["add", [], "Missing argument. Usage: mcp-workbench add NAME"],
    ["open", ["a", "b"], "Unexpected argument 'b'"],
    ["list", ["--config"], "--config needs a value: --config FILE"],
    ["list", ["--json=yes"], "Option '--json' does not take an argument"],
  ])("rejects %s with %j", (name, args, message) => {
    expect(() => readArguments(commandOf(name), args)).toThrow(message);
  });

  it("treats what follows -- as ordinary words where no command line is expected", () => {
    const args = readArguments(commandOf("search"), ["--", "--weird", "words"]);
    expect(args.words).toEqual(["--weird", "words"]);
  });

  it("throws if the code asks for an option that the command does not have", () => {
    expect(() => readArguments(commandOf("open"), ["dev"]).flag("yes")).toThrow(
      "The command open has no option --yes",
    );
  });
});
