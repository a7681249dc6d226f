import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { workbenchError } from "../errors.ts";
import { configDir, expandHome, homeDir, thisMachine } from "./directories.ts";
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

/**
 * Finds the configuration file: the one asked for, else `$WORKBENCH_CONFIG`, else the one in the
 * current folder, else the user's own. A file that was named has to exist; nothing else is tried
 * in its place, because serving a different configuration would be worse than serving none.
 */
export function locateConfig(options: LocateOptions = {}): string {
  const { file, fileNamedBy = "--config", env = process.env, cwd = process.cwd() } = options;
  const machine = { ...thisMachine(env), platform: options.platform ?? process.platform };
  const absolute = (path: string): string => resolve(cwd, expandHome(path, homeDir(machine)));

  if (file !== undefined) return existing(absolute(file), fileNamedBy);
  const fromEnv = env["WORKBENCH_CONFIG"];
  if (fromEnv) return existing(absolute(fromEnv), "$WORKBENCH_CONFIG");

  const candidates = [join(cwd, CONFIG_FILE_NAME), join(configDir(machine), CONFIG_FILE_NAME)];
  const found = candidates.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw workbenchError(
    "CONFIG_NOT_FOUND",
    {
      reason: `--config and $WORKBENCH_CONFIG name none, and there is no ${candidates.join(" or ")}`,
    },
    "Run 'mcp-workbench init' to write one",
  );
}

function existing(path: string, namedBy: string): string {
  if (existsSync(path)) return path;
  throw workbenchError(
    "CONFIG_NOT_FOUND",
    { reason: `${namedBy} names ${path}, which does not exist` },
    "Correct the path, or run 'mcp-workbench init' to write a configuration",
  );
}
