import type { Environment } from "../../config/canonical/expand.ts";
import { parseConfig } from "../../config/load.ts";
import { isWorkbenchError, reasonOf } from "../../errors.ts";
import { lineMask } from "../../secrets/in-entry.ts";
import type { ConfigProblem } from "../contract.ts";

const POSITION = /^(\d+):(\d+) {2}(.*)$/s;

/** What is wrong with the text of a configuration, and what should be known about it. */
export async function checkText(
  text: string,
  file: string,
  env: Environment,
): Promise<readonly ConfigProblem[]> {
  try {
    const { warnings } = await parseConfig(text, { file, env });
    return warnings.map((warning) => problemOf(warning, "warning"));
  } catch (error) {
    const mask = lineMask();
    return messagesOf(error).map((message) => problemOf(mask(message), "error"));
  }
}

/** The message of an invalid configuration has a line for each problem, after the first. */
function messagesOf(error: unknown): readonly string[] {
  if (!isWorkbenchError(error) || error.code !== "CONFIG_INVALID") return [reasonOf(error)];
  return error.message
    .split("\n")
    .slice(1)
    .map((line) => line.replace(/^ {2}/, ""));
}

export function problemOf(text: string, severity: ConfigProblem["severity"]): ConfigProblem {
  const [, line, column, message] = POSITION.exec(text) ?? [];
  if (message === undefined) return { severity, message: text, line: null, column: null };
  return { severity, message, line: Number(line), column: Number(column) };
}
