import type { WorkbenchSettings } from "../../config/types.ts";
import { isWorkbenchError, workbenchError } from "../../errors.ts";
import { choices } from "../../text/choices.ts";
import type { Context } from "../core/command.ts";
import { loadSettings } from "../core/settings.ts";

export interface TokenScope {
  readonly toolboxes: readonly string[];
  /** As `toolbox/server`. */
  readonly servers: readonly string[];
}

/**
 * What a new token may use, from the options. Names that are not configured are refused, because they
 * are nearly always typos. Without a configuration they cannot be checked.
 */
export async function checkedScope(context: Context): Promise<TokenScope> {
  const { args, out } = context;
  const toolboxes = [...new Set(args.list("toolbox"))];
  const servers = [...new Set(args.list("server"))];
  for (const server of servers)
    if (!/^[^/]+\/[^/]+$/.test(server))
      throw workbenchError("USAGE", { reason: `--server '${server}' is not TOOLBOX/SERVER` });
  if (toolboxes.length + servers.length === 0) return { toolboxes, servers };
  const settings = await settingsOf(context);
  if (settings === undefined) {
    out.warn("There is no configuration, so the names of toolboxes and servers were not checked");
    return { toolboxes, servers };
  }
  const known = [...settings.toolboxes.values()];
  const names = known.flatMap(({ name, servers: own }) =>
    Array.from(own.keys(), (server) => `${name}/${server}`),
  );
  for (const name of toolboxes) check("toolbox", name, settings.toolboxes.keys());
  for (const name of servers) check("server", name, names);
  return { toolboxes, servers };
}

function check(kind: "toolbox" | "server", name: string, known: Iterable<string>): void {
  const names = [...known];
  if (names.includes(name)) return;
  const reason = `There is no ${kind} '${name}' in the configuration`;
  throw workbenchError("USAGE", { reason }, choices(name, names));
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
