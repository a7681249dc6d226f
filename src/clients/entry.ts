import { programName } from "../text/program-name.ts";
import type { ServerEntry } from "./canonical.ts";
import { type RemoteWorkbench, reachesWorkbench, remoteFields } from "./remote-entry.ts";
import type { ClientRow } from "./types.ts";

/** The name of our entry in a client's configuration. */
export const ENTRY_NAME = "workbench";
const PACKAGE = "mcp-workbench";

/** How a client reaches the workbench. */
export type Launch =
  | { readonly command: string; readonly args: readonly string[] }
  | RemoteWorkbench;

/** The part of the workbench that a client sees: some toolboxes, or one server; everything if empty. */
export interface View {
  readonly toolboxes?: readonly string[];
  readonly server?: string | undefined;
}

/** How the workbench is started: as a program on the PATH, through npx, or by its path. */
export type Starter =
  | { readonly kind: "global" }
  | { readonly kind: "npx"; readonly version?: string }
  | { readonly kind: "path"; readonly node: string; readonly script: string };

/**
 * The starter that still works when a client uses it. Desktop clients do not see the PATH of a
 * shell, so absolute paths of this installation are best; a copy in the npx cache may be deleted.
 */
export function starterFor(node: string, script: string): Starter {
  const isCached = /[\\/](_npx|dlx-\w+|\.pnpm-store|bunx-\d+)[\\/]/.test(script);
  return isCached ? { kind: "npx" } : { kind: "path", node, script };
}

/** What a client serves, and how. */
export interface Served {
  /** The configuration file. */
  readonly config: string;
  readonly view?: View | undefined;
  /** Whether it shares one process with all other clients of this configuration. */
  readonly shared: boolean;
}

/** The command that serves a configuration. */
export function launchOf(
  starter: Starter,
  { config, view: { toolboxes = [], server } = {}, shared }: Served,
  platform: NodeJS.Platform = process.platform,
): Launch {
  const options = shared ? ["--shared"] : [];
  if (server !== undefined) options.push("--server", server);
  for (const name of toolboxes) options.push("--toolbox", name);
  const [command = "", ...args] = commandOf(
    starter,
    ["serve", "--config", config, ...options],
    platform,
  );
  return { command, args };
}

/** The command line that runs a command of the workbench. */
export function commandOf(
  starter: Starter,
  words: readonly string[],
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  if (starter.kind === "path") return [starter.node, starter.script, ...words];
  const spec =
    starter.kind === "npx" && starter.version ? `${PACKAGE}@${starter.version}` : PACKAGE;
  const all = starter.kind === "npx" ? ["npx", "-y", spec, ...words] : [PACKAGE, ...words];
  // On Windows, npm installs batch files, which need the command interpreter.
  return platform === "win32" ? ["cmd", "/c", ...all] : all;
}

/** Our entry in the format of a client. */
export function entryFor(row: ClientRow, launch: Launch, name: string): Record<string, unknown> {
  const { entry: shape, keepLoaded } = row;
  const rest = { ...shape.fixed, ...(isOneServer(launch) ? {} : keepLoaded?.fields) };
  const typed = (type: string | undefined): Record<string, unknown> => ({
    ...(shape.named && { name }),
    ...(type !== undefined && { type }),
  });
  if ("command" in launch) {
    const { command, args } = launch;
    const program = shape.commandList
      ? { [shape.command]: [command, ...args] }
      : { [shape.command]: command, args: [...args] };
    return { ...typed(shape.programType), ...program, ...rest };
  }
  return { ...typed(shape.remoteType), ...remoteFields(row, launch), ...rest };
}

/** Whether the client sees the tools of one server, which may be many, instead of the few of the workbench. */
function isOneServer(launch: Launch): boolean {
  if ("command" in launch) return launch.args.includes("--server");
  return /\/mcp(?:\/[^/?#]+){2}\/?(?:[?#]|$)/.test(launch.url);
}

/** Whether an entry starts the workbench or connects to one: it is ours, and is never imported. */
export function isWorkbenchEntry(name: string, entry: ServerEntry): boolean {
  return runsWorkbench(entry) || reachesWorkbench(name, entry);
}

/**
 * Whether an entry starts the workbench: importing it would make the workbench start itself. Only
 * the program counts, not its arguments: a file server may be given a folder of that name. A copy in
 * a folder with a different name is recognised by the arguments of our entry.
 */
export function runsWorkbench(entry: ServerEntry): boolean {
  if (entry.command === undefined) return false;
  const words = [entry.command, ...(entry.args ?? [])];
  return isOurs(words) || /[\\/]bin\.[cm]?[jt]s\0serve\0--config\0/.test(`${words.join("\0")}\0`);
}

const RUNNERS = new Set(
  "npx npm pnpm pnpx yarn bun bunx deno node nodejs tsx env cmd sh bash zsh fish sudo uv uvx".split(
    " ",
  ),
);
const RUNNER_WORDS = new Set(["dlx", "exec", "run", "x", "/c", "/s", "/d"]);
const PACKAGE_OPTION = /^(?:--package=|-p=)(.+)$/;

function isOurs(words: readonly string[]): boolean {
  for (const [index, word] of words.entries()) {
    const named = PACKAGE_OPTION.exec(word)?.[1];
    if (named !== undefined) return isProgram(named);
    if (word === "--package" || word === "-p") return isProgram(words[index + 1] ?? "");
    if (word.startsWith("-") || RUNNER_WORDS.has(word.toLowerCase()) || /^\w+=/.test(word))
      continue;
    if (/\s/.test(word) && index > 0) return isOurs(word.trim().split(/\s+/));
    if (!RUNNERS.has(programName(word))) return isProgram(word);
  }
  return false;
}

/** `mcp-workbench`, `mcp-workbench@1.2.3`, a path that ends with one of these, or the script in the package. */
function isProgram(spec: string): boolean {
  const word = spec.replace(/^npm:/, "");
  if (word.startsWith("@")) return false;
  return (
    new RegExp(`^${PACKAGE}(@[^/]*)?$`).test(programName(word)) ||
    new RegExp(`(^|[\\\\/])${PACKAGE}[\\\\/](.*[\\\\/])?bin\\.[cm]?[jt]s$`).test(word)
  );
}
