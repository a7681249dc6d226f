import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { workbenchError } from "../errors.ts";
import { realPathOf } from "../files/real-path.ts";
import { configDir, expandHome, homeDir, thisMachine, type Machine } from "./directories.ts";
import type { Environment } from "./canonical/expand.ts";

export const CONFIG_FILE_NAME = "workbench-config.json";

export interface LocateOptions {
  /** The file named by the user. */
  readonly file?: string | undefined;
  /** How it was named, for the message if it does not exist. */
  readonly fileNamedBy?: string | undefined;
  readonly env?: Environment | undefined;
  readonly cwd?: string | undefined;
  readonly platform?: NodeJS.Platform | undefined;
}

export interface LocatedConfig {
  readonly file: string;
  /**
   * The file was found through the current folder, so the author of that folder chose it and not the
   * user. It is used only once the user trusts it.
   */
  readonly fromCurrentFolder: boolean;
}

/**
 * Finds the configuration file: the one named by the user, else `$WORKBENCH_CONFIG`, else the one in
 * the current folder, else the user's own. A file that was named must exist; there is no fallback,
 * because serving a different configuration would be worse than serving none.
 */
export function locateConfig(options: LocateOptions = {}): LocatedConfig {
  const { file, fileNamedBy = "--config", env = process.env, cwd = process.cwd() } = options;
  const machine = { ...thisMachine(env), platform: options.platform ?? process.platform };
  const fromHome = (path: string): string => expandHome(path, homeDir(machine));
  const absolute = (path: string): string => resolve(cwd, fromHome(path));

  if (file !== undefined)
    return { file: existing(absolute(file), fileNamedBy), fromCurrentFolder: false };
  const own = ownConfigPath(machine);
  const fromEnv = env["WORKBENCH_CONFIG"];
  if (fromEnv) {
    const named = existing(absolute(fromEnv), "$WORKBENCH_CONFIG");
    // A variable with a relative path means a different file in every folder.
    if (isAbsolute(fromHome(fromEnv))) return { file: named, fromCurrentFolder: false };
    return inFolder(named, own);
  }
  const here = join(cwd, CONFIG_FILE_NAME);
  if (existsSync(here)) return inFolder(here, own);
  if (existsSync(own)) return { file: own, fromCurrentFolder: false };
  throw workbenchError(
    "CONFIG_NOT_FOUND",
    {
      reason: `--config and $WORKBENCH_CONFIG are not set, and neither ${here} nor ${own} exists`,
    },
    "Run 'mcp-workbench init' to create one",
  );
}

/** The path of the user's own configuration, whether it exists or not. */
export function ownConfigPath(machine: Machine = thisMachine()): string {
  return join(configDir(machine), CONFIG_FILE_NAME);
}

/**
 * A file that was found through the current folder, at its real path. Relative paths in it are
 * resolved against that path, so a link to a trusted file cannot make it start other programs.
 */
function inFolder(path: string, own: string): LocatedConfig {
  const file = realPathOf(path);
  const isOwn = existsSync(own) && realPathOf(own) === file;
  return isOwn ? { file: own, fromCurrentFolder: false } : { file, fromCurrentFolder: true };
}

function existing(path: string, namedBy: string): string {
  if (existsSync(path)) return path;
  throw workbenchError(
    "CONFIG_NOT_FOUND",
    { reason: `${namedBy} names ${path}, which does not exist` },
    "Correct the path, or run 'mcp-workbench init' to create a configuration",
  );
}
