import type { HostInfo } from "../../clients/paths.ts";
import { homeDir, stateDir, thisMachine } from "../../config/directories.ts";
import type { Context } from "./command.ts";

export { privateStateFolder } from "../../config/directories.ts";

/** This machine, as the client table needs it. */
export function hostInfo({ env }: Pick<Context, "env">): HostInfo {
  return { platform: process.platform, env, home: homeDir(thisMachine(env)) };
}

/** Where backups and records of changes are kept; it may not exist yet. */
export function stateFolder({ env }: Pick<Context, "env">): string {
  return stateDir(thisMachine(env));
}

/** A path with `~` for the home folder. */
export function shortPath(path: string, { home }: Pick<HostInfo, "home">): string {
  const inHome = path === home || path.startsWith(`${home}/`) || path.startsWith(`${home}\\`);
  return inHome && home !== "" ? `~${path.slice(home.length)}` : path;
}
