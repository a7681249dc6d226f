import { existsSync } from "node:fs";
import { join } from "node:path";

import { assertProjectFile } from "../../clients/project-file.ts";
import { CONFIG_FILE_NAME } from "../../config/locate.ts";
import { type WorkbenchError, workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { ownCommand } from "../core/own-command.ts";
import { existingConfig, isChosenByFolder, newConfigPath } from "./config-file.ts";

/** The file to write; an existing configuration is changed only with `--force`. */
export function configTarget(context: Context): string {
  const { args, cwd } = context;
  const here = args.flag("here");
  if (here && args.text("config") !== undefined)
    throw workbenchError("USAGE", { reason: "--here and --config cannot be combined" });
  const file = here
    ? join(cwd, CONFIG_FILE_NAME)
    : (existingConfig(context) ?? newConfigPath(context));
  if (here || isChosenByFolder(context, file)) assertProjectFile(file, cwd);
  if (existsSync(file) && !args.flag("force")) throw existsAlready(file, ownCommand(context));
  return file;
}

function existsAlready(file: string, program: string): WorkbenchError {
  const hint = `Install it into your clients with '${program} install --replace', add servers to it with '${program} import', or run 'init' again with --force, which keeps its servers`;
  return workbenchError("CONFIG_EXISTS", { file }, hint);
}
