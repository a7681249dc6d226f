import { existsSync } from "node:fs";

import type { WorkbenchSettings } from "../../config/types.ts";
import { EXIT, isWorkbenchError, workbenchError } from "../../errors.ts";
import { rendezvousOf } from "../../serve/shared/rendezvous.ts";
import { choices } from "../../text/choices.ts";
import type { Context } from "../core/command.ts";
import { pause } from "../core/pause.ts";
import { readCount } from "../core/read-count.ts";
import { loadSettings } from "../core/settings.ts";
import type { Output } from "../output/output.ts";
import { safeLine } from "../../text/safe-text.ts";
import { type LogFilter, logFilter } from "../../text/log-filter.ts";
import { LogTail } from "../../files/log-tail.ts";
import { FollowedOutput } from "./followed-output.ts";
import { type LoggedServer, loggedServers } from "./logged-servers.ts";

const DEFAULT_LINES = 50;
const MAX_LINES = 10_000;
const FOLLOW_MS = 500;

/** `logs [-f] [TOOLBOX/SERVER]`: the log file, and the standard error of running servers. */
export async function logs(context: Context): Promise<number> {
  const { args, out } = context;
  const [wanted] = args.words;
  const isFollowing = args.flag("follow");
  if (isFollowing && out.json)
    throw workbenchError("USAGE", { reason: "--follow and --json cannot be combined" });
  const count = readCount(args, "lines", DEFAULT_LINES, MAX_LINES);
  const settings = await settingsIfAny(context);
  const filter = logFilter(wanted);
  const servers = await loggedServers(filter);
  if (wanted !== undefined) checkName(wanted, filter, settings, servers);
  const path = settings && (settings.log.file ?? sharedLog(settings));
  const tail = path === undefined ? undefined : new LogTail(path);
  const file = settings?.log.file ?? (path !== undefined && existsSync(path) ? path : undefined);
  const lines = (tail?.end() ?? []).filter(filter.shows).slice(-count);
  out.document({ file: file ?? null, lines, servers });
  for (const line of lines) out.print(safeLine(line));
  for (const server of servers) showServer(server, out);
  if (lines.length === 0 && servers.every(({ stderr }) => stderr.length === 0))
    out.say(nothingLogged(settings, servers.length > 0));
  return isFollowing ? follow(context, filter, tail, servers) : EXIT.ok;
}

/** Running workbenches are shown even if there is no configuration, or a broken one. */
async function settingsIfAny(context: Context): Promise<WorkbenchSettings | undefined> {
  const named = context.args.text("config");
  try {
    return await loadSettings(context, named);
  } catch (error) {
    if (named !== undefined || !isWorkbenchError(error) || error.exitCode !== EXIT.config)
      throw error;
    return undefined;
  }
}

/** Without a log file, what the shared workbench of this configuration writes is kept. It may start later. */
function sharedLog({ file }: WorkbenchSettings): string | undefined {
  return file === undefined ? undefined : rendezvousOf(file).log;
}

/** A name that no configured or running server has is a mistake. */
function checkName(
  wanted: string,
  filter: LogFilter,
  settings: WorkbenchSettings | undefined,
  running: readonly LoggedServer[],
): void {
  const places = [...(settings?.toolboxes.values() ?? [])].flatMap(({ name: toolbox, servers }) =>
    Array.from(servers.keys(), (server) => ({ toolbox, server })),
  );
  if (running.length > 0 || places.some(filter.matches)) return;
  const names = places.map(({ toolbox, server }) => `${toolbox}/${server}`);
  throw workbenchError("USAGE", { reason: `No server '${wanted}'` }, choices(wanted, names));
}

function showServer({ pid, toolbox, server, stderr, lastError }: LoggedServer, out: Output): void {
  if (stderr.length === 0 && lastError === null) return;
  const { cyan, dim } = out.style;
  out.print(`${cyan(`${toolbox}/${server}`)}  ${dim(`in the workbench with pid ${pid}`)}`);
  if (lastError !== null) out.print(`  last error: ${safeLine(lastError)}`);
  for (const line of stderr) out.print(`  | ${safeLine(line)}`);
}

function nothingLogged(settings: WorkbenchSettings | undefined, isRunning: boolean): string {
  const servers = isRunning
    ? "The running servers have written nothing to standard error."
    : "No workbench is running.";
  if (settings?.file === undefined) return servers;
  const file = settings.log.file;
  return file === undefined
    ? `${servers}\nTo keep a log file, add this to ${settings.file}:\n  "log": { "file": "workbench.log" }`
    : `${servers} The log has no such lines: ${file}`;
}

async function follow(
  { out, signal, endsOnSignal }: Context,
  filter: LogFilter,
  tail: LogTail | undefined,
  shown: readonly LoggedServer[],
): Promise<number> {
  endsOnSignal();
  const followed = new FollowedOutput();
  followed.added(shown);
  while (!signal.aborted) {
    await pause(FOLLOW_MS, signal);
    if (signal.aborted) break;
    for (const line of (tail?.lines() ?? []).filter(filter.shows)) out.print(safeLine(line));
    for (const { output, lines } of followed.added(await loggedServers(filter)))
      for (const line of lines)
        out.print(`${out.style.cyan(`${output.toolbox}/${output.server}`)} | ${safeLine(line)}`);
  }
  return EXIT.ok;
}
