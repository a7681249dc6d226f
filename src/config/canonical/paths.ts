import { dirname, isAbsolute, resolve } from "node:path";

import { expandHome, homeDir, thisMachine } from "../directories.ts";
import type { Environment } from "./expand.ts";

/** Where the paths of a configuration lead. */
export interface PathContext {
  /** Relative paths are resolved against this folder. */
  readonly baseDir: string;
  readonly home: string;
}

/** The context of a configuration file, or of one that is given without a file. */
export function contextOf(given: {
  readonly file?: string | undefined;
  readonly env?: Environment | undefined;
  readonly cwd?: string | undefined;
}): PathContext & { readonly file: string | undefined } {
  const { file, env, cwd = process.cwd() } = given;
  const baseDir = file === undefined ? cwd : dirname(file);
  return { file, baseDir, home: homeDir(thisMachine(env)) };
}

/** A bare name is looked up on the PATH; anything with a separator is a path. */
export function resolveCommand(command: string, context: PathContext): string {
  const isPath = command.includes("/") || (process.platform === "win32" && command.includes("\\"));
  return isPath ? resolvePath(command, context) : command;
}

export function resolvePath(path: string, { baseDir, home }: PathContext): string {
  const expanded = expandHome(path, home);
  return isAbsolute(expanded) ? expanded : resolve(baseDir, expanded);
}
