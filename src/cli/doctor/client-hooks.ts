import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";

import { hookEntry } from "../../clients/hook-entry.ts";
import { type FoundHook, findHooks, hookFile } from "../../clients/hook-file.ts";
import type { FoundServer } from "../../clients/read.ts";
import { CLIENTS } from "../../clients/table.ts";
import { isWorkbenchError } from "../../errors.ts";
import { readText } from "../../files/text-file.ts";
import type { Context } from "../core/command.ts";
import { hostInfo } from "../core/host-info.ts";
import { ownCommand } from "../core/own-command.ts";
import type { Findings } from "./check.ts";
import type { Finding } from "./client-entry.ts";

const area = "clients";

/** Checks the hooks of clients that ask the workbench before calls. */
export async function checkHooks(
  context: Context,
  entries: readonly FoundServer[],
  findings: Findings,
): Promise<void> {
  for (const row of CLIENTS) {
    const file = hookFile(row, hostInfo(context));
    if (file === undefined) continue;
    const subject = `${row.label} (${file})`;
    const fix = `${ownCommand(context)} install ${row.id} --approvals`;
    try {
      const names = entries.filter(({ client }) => client === row.id).map(({ name }) => name);
      const text = await readText(file);
      const hooks = text === undefined ? [] : await findHooks(row, file, text);
      for (const hook of hooks) findings.add({ area, subject, ...checkHook(hook, names, fix) });
    } catch (error) {
      if (!isWorkbenchError(error)) throw error;
      const message = error.message;
      findings.add({ area, subject, status: "warning", message, fix: "Fix the file" });
    }
  }
}

function checkHook(
  { matcher, command }: FoundHook,
  names: readonly string[],
  fix: string,
): Finding {
  const missing = wordsOf(command).find((word) => isAbsolute(word) && !existsSync(word));
  if (missing !== undefined)
    return { status: "error", message: `its hook names ${missing}, which does not exist`, fix };
  const name = names.find((one) => hookEntry(one, "").matcher === matcher);
  if (name === undefined)
    return {
      status: "warning",
      message: `its hook is for '${matcher}', but it has no such entry for the workbench`,
      fix,
    };
  return { status: "ok", message: `asks the policy before calls of '${name}'` };
}

/** The words of a command line that we wrote. */
function wordsOf(command: string): string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|\\'|[^\s'"])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"|\\(')/g,
      (_all, a?: string, b?: string, c?: string) => a ?? b ?? c ?? "",
    ),
  );
}
