import { isAbsolute, relative, resolve } from "node:path";

import { expandHome, homeDir, thisMachine } from "../../config/directories.ts";
import { type ConfigEdit, configDiff } from "../../config/edits/config-edits.ts";
import { parseConfig } from "../../config/load.ts";
import { locateConfig, ownConfigPath } from "../../config/locate.ts";
import { isWorkbenchError } from "../../errors.ts";
import { assertWritable } from "../../files/write-atomic.ts";
import type { Context } from "../core/command.ts";

type ConfigContext = Pick<Context, "args" | "env" | "cwd">;

/** The path of the existing configuration, trusted or not. */
export function existingConfig({ args, env, cwd }: ConfigContext): string | undefined {
  try {
    return locateConfig({ file: args.text("config"), env, cwd }).file;
  } catch (error) {
    if (isWorkbenchError(error) && error.code === "CONFIG_NOT_FOUND") return undefined;
    throw error;
  }
}

/** Where to create a configuration: the path the user gave, else the user's own configuration. */
export function newConfigPath({ args, env, cwd }: ConfigContext): string {
  const machine = thisMachine(env);
  const named = args.text("config") ?? env["WORKBENCH_CONFIG"];
  if (named) return resolve(cwd, expandHome(named, homeDir(machine)));
  return ownConfigPath(machine);
}

/** Whether the current folder chooses this file, so that its author controls which file it is. */
export function isChosenByFolder({ args, env, cwd }: ConfigContext, file: string): boolean {
  if (args.text("config") !== undefined) return false;
  const machine = thisMachine(env);
  const named = env["WORKBENCH_CONFIG"];
  if (!named) return file !== ownConfigPath(machine);
  const path = expandHome(named, homeDir(machine));
  // What is above the folder was named by the user in full.
  return !isAbsolute(path) && !relative(cwd, resolve(cwd, path)).startsWith("..");
}

/** Checks the new text before it is written: an edit never leaves an invalid configuration. */
export async function planConfig(
  context: Pick<Context, "env" | "out">,
  file: string,
  before: string | undefined,
  after: string,
): Promise<ConfigEdit> {
  const { secrets } = await parseConfig(after, { file, env: context.env });
  context.out.hide(secrets);
  await assertWritable(file);
  return { file, before, after, diff: await configDiff(file, before ?? "", after) };
}
