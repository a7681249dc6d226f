import type { Environment } from "../../config/canonical/expand.ts";
import { parseConfig } from "../../config/load.ts";
import { effectsOf } from "../../config/trust/effects.ts";
import { isWorkbenchError, reasonOf } from "../../errors.ts";
import { lineMask } from "../../secrets/in-entry.ts";
import { SECRETS_FILE_NAME } from "../../secrets/secrets-file.ts";
import type { ConfigProblem } from "../contract.ts";

const POSITION = /^(\d+):(\d+) {2}(.*)$/s;

/**
 * What is wrong with the text of a configuration, and what should be known about it. Files with variables that are not in use
 * are not read: a page could learn what is in them.
 */
export async function checkText(
  text: string,
  { file, current, env }: CheckedFile,
): Promise<readonly ConfigProblem[]> {
  try {
    const readsSecrets = !(await namesNewFiles(file, current, text));
    const { warnings } = await parseConfig(text, { file, env, readsSecrets });
    return warnings.map((warning) => problemOf(warning, "warning"));
  } catch (error) {
    const mask = lineMask();
    return messagesOf(error).map((message) => problemOf(mask(message), "error"));
  }
}

/** The file that a text would replace. */
export interface CheckedFile {
  readonly file: string;
  /** What is in it now. */
  readonly current: string;
  readonly env: Environment;
}

async function namesNewFiles(file: string, current: string, text: string): Promise<boolean> {
  if (current === text) return false;
  const filesIn = async (one: string): Promise<readonly string[]> =>
    (await effectsOf(file, one).catch(() => undefined))?.envFiles ?? [];
  const known = await filesIn(current);
  return (await filesIn(text)).some((one) => !known.includes(one) && one !== SECRETS_FILE_NAME);
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
