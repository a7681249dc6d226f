import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { workbenchError } from "../errors.ts";
import { realPathOf } from "../files/real-path.ts";
import { configDir, expandHome, homeDir, thisMachine, type Machine } from "./directories.ts";
import type { Environment } from "./expand.ts";

export const CONFIG_FILE_NAME = "workbench-config.json";

export interface LocateOptions {
  /** The file somebody asked for. */
  readonly file?: string | undefined;
  /** How they asked for it, for the message when it does not exist. */
  readonly fileNamedBy?: string | undefined;
  readonly env?: Environment | undefined;
  readonly cwd?: string | undefined;
  readonly platform?: NodeJS.Platform | undefined;
}

export interface LocatedConfig {
  readonly file: string;
  /**
   * It is used because of the folder the program was started in, so whoever wrote that folder chose
   * it, and not the user. Such a file counts only once it is trusted.
   */
  readonly byFolder: boolean;
}

/**
 * Finds the configuration file: the one asked for, else `$WORKBENCH_CONFIG`, else the one in the
 * current folder, else the user's own. A file that was named has to exist; nothing else is tried
 * in its place, because serving a different configuration would be worse than serving none.
 */
export function locateConfig(options: LocateOptions = {}): LocatedConfig {
  const { file, fileNamedBy = "--config", env = process.env, cwd = process.cwd() } = options;
  const machine = { ...thisMachine(env), platform: options.platform ?? process.platform };
  const fromHome = (path: string): string => expandHome(path, homeDir(machine));
  const absolute = (path: string): string => resolve(cwd, fromHome(path));

  if (file !== undefined) return { file: existing(absolute(file), fileNamedBy), byFolder: false };
  const own = ownConfigPath(machine);
  const fromEnv = env["WORKBENCH_CONFIG"];
  if (fromEnv) {
    const named = existing(absolute(fromEnv), "$WORKBENCH_CONFIG");
    // A variable that is set once and holds a relative path means another file in every folder.
    if (isAbsolute(fromHome(fromEnv))) return { file: named, byFolder: false };
    return inFolder(named, own);
  }
  const here = join(cwd, CONFIG_FILE_NAME);
  if (existsSync(here)) return inFolder(here, own);
  if (existsSync(own)) return { file: own, byFolder: false };
  throw workbenchError(
    "CONFIG_NOT_FOUND",
    {
      reason: `--config and $WORKBENCH_CONFIG name none, and there is no ${here} or ${own}`,
    },
    "Run 'mcp-workbench init' to write one",
  );
}

/** The configuration of the user, whether it exists or not. */
export function ownConfigPath(machine: Machine = thisMachine()): string {
  return join(configDir(machine), CONFIG_FILE_NAME);
}

/**
 * A file that was found by the current folder, at its real place: relative paths in it count from
 * there, so a link to a trusted file does not make it start programs of the folder of the link.
 */
function inFolder(path: string, own: string): LocatedConfig {
  const file = realPathOf(path);
  const isOwn = existsSync(own) && realPathOf(own) === file;
  return isOwn ? { file: own, byFolder: false } : { file, byFolder: true };
}

function existing(path: string, namedBy: string): string {
  if (existsSync(path)) return path;
  throw workbenchError(
    "CONFIG_NOT_FOUND",
    { reason: `${namedBy} names ${path}, which does not exist` },
    "Correct the path, or run 'mcp-workbench init' to write a configuration",
  );
}
