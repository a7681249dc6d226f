import type { HostInfo } from "../../clients/paths.ts";
import { ensurePrivateDir, homeDir, stateDir, thisMachine } from "../../config/directories.ts";
import type { Context } from "./command.ts";

/** This machine, as the client table needs it. */
export function hostInfo({ env }: Pick<Context, "env">): HostInfo {
  return { platform: process.platform, env, home: homeDir(thisMachine(env)) };
}

/** Where backups and records of changes are kept; it may not exist yet. */
export function stateFolder({ env }: Pick<Context, "env">): string {
  return stateDir(thisMachine(env));
}

/** The same folder, created if needed, with access for the owner only. */
export function privateStateFolder(context: Pick<Context, "env">): string {
  const folder = stateFolder(context);
  ensurePrivateDir(folder);
  return folder;
}

/** A path with `~` for the home folder. */
export function shortPath(path: string, { home }: Pick<HostInfo, "home">): string {
  const inHome = path === home || path.startsWith(`${home}/`) || path.startsWith(`${home}\\`);
  return inHome && home !== "" ? `~${path.slice(home.length)}` : path;
}
