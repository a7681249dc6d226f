import { parseConfig } from "../../config/load.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { serversIn } from "../../workbench/scopes.ts";
import type { Context } from "./command.ts";
import { findTrusted } from "./consent.ts";
import { plural } from "../output/layout.ts";

/** Loads the configuration for a command; its secrets are redacted from all further output. */
export async function loadSettings(
  context: Pick<Context, "env" | "cwd" | "out" | "prompt">,
  named: string | undefined,
): Promise<WorkbenchSettings> {
  const { env, out } = context;
  const { file, text } = await findTrusted(context, named);
  const settings = await parseConfig(text, { file, env });
  out.hide(settings.secrets);
  return settings;
}

/** The size of a configuration, for people. */
export function sizeOf(settings: WorkbenchSettings): string {
  const toolboxes = plural(settings.toolboxes.size, "toolbox", "toolboxes");
  return `${toolboxes}, ${plural(serversIn(settings.toolboxes).length, "server")}`;
}
