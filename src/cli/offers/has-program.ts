import { programPath } from "../../secrets/run-program.ts";
import type { Context } from "../core/command.ts";

/** Whether a program is on the PATH. */
export function hasProgram(command: string, env: Context["env"]): boolean {
  const endings = process.platform === "win32" ? [".exe", ".cmd"] : [""];
  return endings.some((ending) => programPath(command + ending, env) !== undefined);
}
