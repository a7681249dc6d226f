import type { WorkbenchSettings } from "../../config/types.ts";
import {
  type TokenScope,
  checkServerNames,
  checkTokenScope,
} from "../../access/tokens/token-scope.ts";
import { isWorkbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { loadSettings } from "../core/settings.ts";

/**
 * What a new token may use, from the options. Names that are not configured are refused, because they
 * are nearly always typos. Without a configuration they cannot be checked.
 */
export async function checkedScope(context: Context): Promise<TokenScope> {
  const { args, out } = context;
  const toolboxes = [...new Set(args.list("toolbox"))];
  const servers = [...new Set(args.list("server"))];
  checkServerNames(servers);
  if (toolboxes.length + servers.length === 0) return { toolboxes, servers };
  const settings = await settingsOf(context);
  if (settings === undefined) {
    out.warn("There is no configuration, so the names of toolboxes and servers were not checked");
    return { toolboxes, servers };
  }
  checkTokenScope(settings, { toolboxes, servers });
  return { toolboxes, servers };
}

async function settingsOf(context: Context): Promise<WorkbenchSettings | undefined> {
  try {
    return await loadSettings(context, context.args.text("config"));
  } catch (error) {
    const isAbsent = isWorkbenchError(error) && error.code === "CONFIG_NOT_FOUND";
    if (isAbsent && context.args.text("config") === undefined) return undefined;
    throw error;
  }
}
