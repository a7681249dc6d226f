import { CLIENTS, requireClient } from "../../clients/table.ts";
import type { ClientRow } from "../../clients/types.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import type { Context } from "../command.ts";
import { loadSettings } from "../settings.ts";
import { replacedEntries } from "./behind.ts";
import { installedClients, installInto } from "./install-clients.ts";
import { warnUnavailable } from "./unavailable.ts";

/** `install CLIENT…` */
export async function install(context: Context): Promise<number> {
  const { args, out, prompt } = context;
  const rows = await wantedClients(context);
  // A client must not be given a configuration that it will not be able to serve.
  const settings = await loadSettings(context, args.text("config"));
  const { file: config = "" } = settings;
  warnUnavailable(settings, out);
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
    const reason = "none of those that are known has a file or a program here";
    const hint = `Known are: ${CLIENTS.map(({ id }) => id).join(", ")}`;
    throw workbenchError("CLIENT_NOT_INSTALLED", { client: "An MCP client", reason }, hint);
  }
  if (args.flag("all")) return here;
  if (!prompt.available) {
    const hint = `Found here: ${here.map(({ id }) => id).join(", ")}. Name some, or use --all`;
    throw workbenchError("USAGE", { reason: "Into which client?" }, hint);
  }
  const labels = here.map(({ label }) => label);
  const chosen = await prompt.choose("Into which of them?", labels);
  return here.filter((_, index) => chosen.includes(index));
}
