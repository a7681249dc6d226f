import { CLIENTS, requireClient } from "../../clients/table.ts";
import type { ClientRow } from "../../clients/types.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { loadSettings } from "../core/settings.ts";
import { isChosenByFolder } from "./config-file.ts";
import { replacedEntries } from "./replaced-entries.ts";
import { installedClients, installInto } from "./install-clients.ts";
import { warnUnavailable } from "./warn-unavailable.ts";

/** `install CLIENT…` */
export async function install(context: Context): Promise<number> {
  const { args, out, prompt } = context;
  const rows = await wantedClients(context);
  // Do not install a configuration that cannot be served.
  const settings = await loadSettings(context, args.text("config"));
  const { file: config = "" } = settings;
  warnUnavailable(settings, out);
  if (isChosenByFolder(context, config))
    out.warn(
      "Clients will use this project's configuration with --config: changes to it take effect without asking you again",
    );
  const { installed, error } = await installInto(context, rows, {
    config,
    project: args.flag("project"),
    byFile: args.flag("by-file"),
    dryRun: args.flag("dry-run"),
    ask: prompt.available && !args.flag("yes"),
    replacedEntries: args.flag("replace")
      ? (servers) => replacedEntries(context, servers, settings)
      : undefined,
  });
  out.document({ clients: installed });
  return error?.exitCode ?? EXIT.ok;
}

// --- internal ---

async function wantedClients(context: Context): Promise<readonly ClientRow[]> {
  const { args, prompt } = context;
  const named = [...new Set(args.words)].map(requireClient);
  if (named.length > 0 && !args.flag("all")) return named;
  const here = await installedClients(context);
  if (here.length === 0) {
    const reason = "none of the supported clients was found on this machine";
    const hint = `Supported: ${CLIENTS.map(({ id }) => id).join(", ")}`;
    throw workbenchError("CLIENT_NOT_INSTALLED", { client: "An MCP client", reason }, hint);
  }
  if (args.flag("all")) return here;
  if (!prompt.available) {
    const hint = `Found: ${here.map(({ id }) => id).join(", ")}. Name one or more, or use --all`;
    throw workbenchError("USAGE", { reason: "Install into which client?" }, hint);
  }
  const labels = here.map(({ label }) => label);
  const chosen = await prompt.choose("Install into which clients?", labels);
  return here.filter((_, index) => chosen.includes(index));
}
