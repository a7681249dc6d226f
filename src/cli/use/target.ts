import { basename } from "node:path";

import { legalName } from "../../clients/names.ts";
import { resolveConfig } from "../../config/load.ts";
import type { WorkbenchConfig } from "../../config/schema.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { workbenchError } from "../../errors.ts";
import type { Server } from "../../servers/server.ts";
import type { ToolboxView } from "../../toolboxes/toolbox.ts";
import { findServer, findToolbox, orThrow } from "../../workbench/find.ts";
import { enabledServersIn } from "../../workbench/scopes.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Context } from "../core/command.ts";
import { readEnv, readHeaders } from "../core/server-options.ts";
import { loadSettings } from "../core/settings.ts";
import { seenScope } from "./seen-tools.ts";

/** A toolbox, one of its servers, or one of the server's tools; empty for everything. */
export interface ToolPath {
  readonly toolbox?: string;
  readonly server?: string;
  readonly tool?: string;
}

export interface Target {
  readonly settings: WorkbenchSettings;
  readonly path: ToolPath;
  /** The path as it was written. */
  readonly first: string;
  /** The remaining arguments. */
  readonly words: readonly string[];
  /** The server is given on the command line instead of in a configuration. */
  readonly isAdHoc: boolean;
}

/** The toolbox of a server that is given on the command line instead of in a configuration. */
export const AD_HOC = "adhoc";

const URL_START = /^https?:\/\//i;

/**
 * The target of a command: a part of the configuration, or a server given by its URL or, after
 * `--`, by its command line.
 */
export async function findTarget(context: Context): Promise<Target> {
  const { args } = context;
  const [first, ...others] = args.words;
  if (args.hasRest)
    return adHoc(context, commandEntry(context), nameOfCommand(args.rest), args.words);
  if (first !== undefined && URL_START.test(first))
    return adHoc(context, urlEntry(context, first), nameOfUrl(first), others);
  const settings = await configuration(context);
  return {
    settings,
    path: parseToolPath(first),
    first: first ?? "",
    words: others,
    isAdHoc: false,
  };
}

/** Loads the configuration; unavailable servers are reported when they are used. */
export async function configuration(context: Context): Promise<WorkbenchSettings> {
  return loadSettings(context, context.args.text("config"));
}

/** Splits at the first two slashes only: tool names may contain more. */
export function parseToolPath(text = ""): ToolPath {
  const [toolbox = "", server, ...tool] = text.split("/");
  return {
    ...(toolbox !== "" && { toolbox }),
    ...(server !== undefined && server !== "" && { server }),
    ...(tool.length > 0 && tool.join("/") !== "" && { tool: tool.join("/") }),
  };
}

/** The servers at a path; disabled ones only if they are named. */
export function serversAt(workbench: Workbench, { toolbox, server }: ToolPath): readonly Server[] {
  const scope = seenScope(workbench);
  if (toolbox !== undefined && server !== undefined)
    return [orThrow(findServer(scope, { toolbox, server }))];
  if (toolbox === undefined) return enabledServersIn(scope);
  return enabledServersIn(new Map([[toolbox, boxAt(workbench, toolbox)]]));
}

export function boxAt(workbench: Workbench, name: string): ToolboxView {
  return orThrow(findToolbox(seenScope(workbench), name));
}

type Entry = WorkbenchConfig["toolboxes"][string]["mcpServers"][string];

async function adHoc(
  { env, cwd, out }: Context,
  entry: Entry,
  name: string,
  words: readonly string[],
): Promise<Target> {
  const box = { description: "A server named on the command line", mcpServers: { [name]: entry } };
  const settings = await resolveConfig({ toolboxes: { [AD_HOC]: box } }, { env, cwd });
  out.hide(settings.secrets);
  const [unavailable] = settings.warnings;
  if (unavailable !== undefined) throw workbenchError("USAGE", { reason: unavailable });
  return { settings, path: { toolbox: AD_HOC, server: name }, first: "", words, isAdHoc: true };
}

function commandEntry({ args, cwd }: Context): Entry {
  const [command, ...rest] = args.rest;
  if (command === undefined) throw workbenchError("USAGE", { reason: "No command after --" });
  if (args.list("header").length > 0)
    throw workbenchError("USAGE", { reason: "--header is only for servers with a URL" });
  return { command, args: rest, cwd, env: readEnv(args.list("env")) };
}

function urlEntry({ args }: Context, url: string): Entry {
  if (args.list("env").length > 0)
    throw workbenchError("USAGE", {
      reason: "--env is only for servers that are started as a command",
    });
  return { url, headers: readHeaders(args.list("header")) };
}

/** The program or the package that a runner starts, without scope and version. */
function nameOfCommand(words: readonly string[]): string {
  const [program = "", ...args] = words;
  const isRunner = /^(npx|uvx|bunx|pnpx|node|python3?|deno|docker)(\.exe|\.cmd)?$/i.test(
    basename(program),
  );
  // What follows `-e` or `-c` is a program, not its name.
  const isInline = args.some((arg) => /^(-e|-c|-p|--eval|--print)$/.test(arg));
  const named = isRunner && !isInline ? args.find((arg) => !arg.startsWith("-")) : undefined;
  const word = named ?? program;
  return legalName(basename(word).replace(/(?<=.)@.*$|\.[cm]?[jt]s$|\.py$/g, ""), "server");
}

function nameOfUrl(url: string): string {
  return URL.canParse(url) ? legalName(new URL(url).hostname, "server") : "server";
}
