import { randomBytes } from "node:crypto";
import {
  cacheDir,
  configDir,
  ensurePrivateDir,
  homeDir,
  stateDir,
  thisMachine,
} from "../../../../config/directories.ts";
import type { SandboxSettings } from "../../../../config/types.ts";
import { isWithin } from "../../../../files/real-path.ts";
import { type Unavailable, bwrapProblem, dockerProblem } from "./availability.ts";
import { bwrapCommand } from "./bwrap.ts";
import type { CommandLine } from "./command-line.ts";
import { dockerCommand } from "./docker.ts";
import { kindOf } from "./kind-of.ts";

/** How a server is started: in its sandbox, or without because it is not required. */
export interface SandboxedStart {
  readonly line: CommandLine;
  /** Why there is no sandbox. */
  readonly warning?: string;
}

/**
 * Puts the command line of a server into its sandbox. Throws, with what to do, if the sandbox is required
 * and cannot be used. `declared` are the variables that the configuration gives the server.
 */
export async function sandboxed(
  line: CommandLine,
  settings: SandboxSettings,
  declared: readonly string[],
): Promise<SandboxedStart> {
  const own = [stateDir(), configDir(), cacheDir()];
  const protect = [...own, ...settings.protect];
  const wrong = problemOf(settings, protect);
  if (wrong !== undefined) throw new Error(wrong);
  const problem = await availabilityOf(settings);
  if (problem !== undefined) {
    const reason = `its sandbox cannot be used: ${problem.reason}`;
    if (!settings.required) return { line, warning: `${reason}. It runs without one` };
    throw new Error(`${reason}. ${problem.fix}`);
  }
  switch (settings.kind) {
    case "bwrap": {
      const { read, write } = settings;
      // A folder that is created later could not be covered.
      for (const folder of own)
        if ([...read, ...write].some((shown) => isWithin(folder, shown))) ensurePrivateDir(folder);
      const home = homeDir(thisMachine());
      return { line: bwrapCommand(line, settings, { home, node: process.execPath, protect }) };
    }
    case "docker": {
      const name = `mcp-workbench-${randomBytes(6).toString("hex")}`;
      const user =
        process.getuid && process.getgid ? `${process.getuid()}:${process.getgid()}` : undefined;
      return { line: dockerCommand(line, settings, { name, user, declared }) };
    }
    case "command": {
      const [command = "", ...args] = settings.command ?? [];
      return { line: { ...line, command, args: [...args, line.command, ...line.args] } };
    }
  }
}

function availabilityOf({ kind }: SandboxSettings): Promise<Unavailable | undefined> {
  if (kind === "bwrap") return bwrapProblem();
  // A missing wrapper is reported when it is started; without it nothing is.
  return kind === "docker" ? dockerProblem() : Promise.resolve(undefined);
}

/** What is wrong with the settings themselves. */
export function problemOf(
  settings: SandboxSettings,
  protect: readonly string[],
): string | undefined {
  const { kind, image, command, read, write } = settings;
  if (kind === "docker" && image === undefined)
    return 'sandbox: "docker" needs an image. Add "image": "NAME"';
  if (kind === "command" && command === undefined)
    return 'sandbox: "command" needs a program. Add "command": ["PROGRAM", …]';
  for (const path of [...read, ...write]) {
    if (kind !== "command" && kindOf(path) === undefined)
      return `sandbox: ${path} does not exist. Create it, or remove it from 'read' and 'write'`;
    // Through the folders of processes, a server would reach every file and variable of its user.
    if (kind !== "command" && isOfProcesses(path))
      return `sandbox: ${path} shows the processes of this machine, and no server may reach them. Remove it from 'read' and 'write'`;
    const own = protect.find((secret) => isWithin(path, secret));
    if (own !== undefined)
      return `sandbox: ${path} belongs to the workbench (${own}), and no server may reach it. Remove it from 'read' and 'write'`;
    // Only bwrap can cover it.
    const inside = protect.find((secret) => kindOf(secret) !== undefined && isWithin(secret, path));
    if (kind === "docker" && inside !== undefined)
      return `sandbox: ${path} contains ${inside}, which no server may reach. Name the folders in it that the server needs`;
  }
  return undefined;
}

/** Whether a path leads through the folders of processes: their links lead everywhere. */
function isOfProcesses(path: string): boolean {
  return path.startsWith("/proc/") || isWithin(path, "/proc");
}
