import { chmodSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { isAbsolute, join, posix, win32 } from "node:path";
import { reasonOf, workbenchError } from "../errors.ts";
import { codeOf } from "../text/error-code.ts";
import type { Environment } from "./canonical/expand.ts";

/** The folders of the user, by the XDG base directory specification or its Windows counterparts. */

export interface Machine {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
}

const APP = "mcp-workbench";
const PRIVATE = 0o700;

export function thisMachine(env: Environment = process.env): Machine {
  return { env, platform: process.platform };
}

export function configDir(machine: Machine = thisMachine()): string {
  return appDir(machine, "XDG_CONFIG_HOME", "APPDATA", ".config");
}

/** For data that must not be lost. */
export function stateDir(machine: Machine = thisMachine()): string {
  return appDir(machine, "XDG_STATE_HOME", "LOCALAPPDATA", join(".local", "state"));
}

/** For data that can be created again. */
export function cacheDir(machine: Machine = thisMachine()): string {
  const dir = appDir(machine, "XDG_CACHE_HOME", "LOCALAPPDATA", ".cache");
  // Windows has one folder for both, and users want to be able to delete a cache.
  return machine.platform === "win32" && dir === stateDir(machine) ? join(dir, "cache") : dir;
}

/**
 * An empty or relative home would be the current folder, whose author would then choose the
 * configuration and what is trusted. In that case the home comes from the user database.
 */
export function homeDir({ env, platform }: Machine): string {
  const isWindows = platform === "win32";
  const home = env[isWindows ? "USERPROFILE" : "HOME"] || homedir();
  return (isWindows ? win32 : posix).isAbsolute(home) ? home : userInfo().homedir;
}

/** Shells expand `~/`, but paths in files and variables do not pass through a shell. */
export function expandHome(path: string, home: string): string {
  return /^~(?:$|[/\\])/.test(path) ? join(home, path.slice(1)) : path;
}

/** Creates a folder that only its owner can access, or makes an existing one private. */
export function ensurePrivateDir(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: PRIVATE });
    const openToOthers = (statSync(path).mode & 0o077) !== 0;
    if (openToOthers && process.platform !== "win32") chmodSync(path, PRIVATE);
  } catch (error) {
    throw workbenchError("FOLDER_UNUSABLE", { path, reason: reasonOf(error) }, undefined, error);
  }
}

/**
 * The same where other users can create folders too, such as in the folder for temporary files: an
 * existing folder must belong to the user and must not be a symbolic link.
 */
export function ensureOwnDir(path: string): void {
  try {
    mkdirSync(path, { mode: PRIVATE });
  } catch (error) {
    if (codeOf(error) !== "EEXIST")
      throw workbenchError("FOLDER_UNUSABLE", { path, reason: reasonOf(error) }, undefined, error);
  }
  const found = lstatSync(path);
  const reason = found.isSymbolicLink()
    ? "it is a symbolic link"
    : !found.isDirectory()
      ? "it is not a folder"
      : process.getuid !== undefined && found.uid !== process.getuid()
        ? "it belongs to another user"
        : undefined;
  if (reason !== undefined) throw workbenchError("FOLDER_UNUSABLE", { path, reason });
  ensurePrivateDir(path);
}

function appDir(machine: Machine, xdg: string, windows: string, fallback: string): string {
  const { env, platform } = machine;
  // By the XDG specification, a relative path is invalid and must be ignored.
  const candidates = platform === "win32" ? [env[xdg], env[windows]] : [env[xdg]];
  const base = candidates.find((path) => path !== undefined && isAbsolute(path));
  return join(base ?? join(homeDir(machine), fallback), APP);
}

/** Where backups and records of changes are kept, created if needed, with access for the owner only. */
export function privateStateFolder({ env }: { readonly env: Environment }): string {
  const folder = stateDir(thisMachine(env));
  ensurePrivateDir(folder);
  return folder;
}
