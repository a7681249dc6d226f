import { EXIT, workbenchError } from "../errors.ts";
import { nearest } from "../text/nearest.ts";
import { VERSION } from "../version.ts";
import type { Command, Context } from "./core/command.ts";
import { COMMANDS, COMMAND_GROUPS, findCommand } from "./commands/commands.ts";
import { commonOptions, optionText } from "./core/common-options.ts";
import { columns, wrap, wrapCommand, wrapLine } from "./output/layout.ts";
import type { Output } from "./output/output.ts";

/** `help [COMMAND]` */
export async function help({ args, out }: Context): Promise<number> {
  const [name] = args.words;
  const command = name === undefined ? undefined : requireCommand(name);
  const shown = command === undefined ? COMMANDS : [command];
  out.document({
    commands: shown.map(({ name, summary, usage, options, examples }) => ({
      name,
      summary,
      usage,
      options,
      examples,
    })),
  });
  out.print(command === undefined ? programHelp(out) : commandHelp(command, out));
  return EXIT.ok;
}

/** The command with this name, or an error that suggests the one that was probably meant. */
export function requireCommand(name: string): Command {
  const command = findCommand(name);
  if (command !== undefined) return command;
  const names = COMMANDS.map((known) => known.name);
  const meant = Object.hasOwn(OTHER_WORDS, name) ? OTHER_WORDS[name] : nearest(name, names);
  const hint = meant === undefined ? "See mcp-workbench --help" : `Did you mean '${meant}'?`;
  throw workbenchError("USAGE", { reason: `Unknown command '${name}'` }, hint);
}

/** What other programs call a command. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  ls: "list",
  tools: "list",
  find: "search",
  rm: "remove",
  delete: "remove",
  start: "serve",
  run: "serve",
  ps: "status",
  check: "doctor",
  update: "refresh",
};

export function programHelp({ style, width }: Output): string {
  const widest = Math.max(...COMMANDS.map(({ name }) => name.length));
  const groups = COMMAND_GROUPS.flatMap(({ title, commands }) => {
    const rows = commands.map(({ name, summary }) => [style.bold(name.padEnd(widest)), summary]);
    return [`${title}:`, columns(rows, "  ", width), ""];
  });
  return [
    wrap(`mcp-workbench ${VERSION}: one MCP server in front of all your MCP servers.`, width),
    "",
    "Usage: mcp-workbench COMMAND [ARGUMENTS]",
    "",
    ...groups,
    wrap("Every command has --help with examples, and --json for scripts.", width),
    "Start with: mcp-workbench init",
  ].join("\n");
}

export function commandHelp(command: Command, { style, width, tableWidth }: Output): string {
  const { summary, usage, details, options, examples } = command;
  const shown = [...options, ...commonOptions(command)];
  const measure = Math.min(width, 100);
  const forms = usage.map((form, index) =>
    wrapLine(
      `${index === 0 ? "Usage:" : "      "} mcp-workbench ${form}`,
      tableWidth,
      " ".repeat(9),
    ),
  );
  return [
    style.bold(summary),
    "",
    ...forms,
    ...(details === undefined ? [] : ["", wrap(details, measure)]),
    "",
    "Options:",
    columns(
      shown.map((option) => [optionText(option), option.summary]),
      "  ",
      measure,
    ),
    "",
    "Examples:",
    ...examples.flatMap(({ command: line, explanation }) => [
      wrapLine(`  ${style.dim(`# ${explanation}`)}`, tableWidth, "  # "),
      wrapCommand(`mcp-workbench ${line}`, tableWidth),
    ]),
  ].join("\n");
}
