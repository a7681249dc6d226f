import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

import { parseConfig, readConfigText, resolveConfig } from "../../config/load.ts";
import type { ServerSettings } from "../../config/types.ts";
import { isWorkbenchError, workbenchError } from "../../errors.ts";
import { serversIn } from "../../workbench/scopes.ts";
import type { Context } from "../core/command.ts";
import { plural, wrap } from "../output/layout.ts";
import { type Draft, configOf } from "./draft.ts";

/**
 * Warns before `init --force` drops servers that no client has any longer, because an earlier `init`
 * removed their entries. In a terminal, the user decides.
 */
export async function warnOfLostServers(
  context: Context,
  file: string,
  draft: Draft,
): Promise<void> {
  const { args, out, prompt } = context;
  const lost = existsSync(file) ? await lostServers(context, file, draft) : [];
  if (lost.length === 0) return;
  const names = lost.map(({ toolbox, name }) => `${toolbox}/${name}`).join(", ");
  const [has, them] = lost.length === 1 ? ["is", "it"] : ["are", "them"];
  const count = plural(lost.length, "server");
  const text = `${count} of the current configuration ${has} not among those found: ${names}. Replacing the configuration drops ${them}; 'mcp-workbench import' would not.`;
  out.warn(wrap(text, out.noteWidth - 2));
  if (!prompt.available || args.flag("yes") || args.flag("dry-run")) return;
  if (!(await prompt.confirm("Replace it anyway?", false))) throw workbenchError("INTERRUPTED", {});
}

// --- internal ---

async function lostServers(
  { env, cwd }: Context,
  file: string,
  { toolboxes }: Draft,
): Promise<readonly ServerSettings[]> {
  try {
    const current = await parseConfig(readConfigText(file), { file, env });
    const next = serversIn((await resolveConfig(configOf(toolboxes), { env, cwd })).toolboxes);
    return serversIn(current.toolboxes).filter(
      ({ transport }) => !next.some((one) => isDeepStrictEqual(one.transport, transport)),
    );
  } catch (error) {
    // An invalid configuration has no servers to lose.
    if (isWorkbenchError(error)) return [];
    throw error;
  }
}
