import type { View } from "../../clients/entry.ts";
import { isLegalName } from "../../clients/names.ts";
import { CLIENTS, requireClient } from "../../clients/table.ts";
import type { ClientRow } from "../../clients/types.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { loadSettings } from "../core/settings.ts";
import { isChosenByFolder } from "./config-file.ts";
import { connectingEntries } from "./connecting-entries.ts";
import { askForClients } from "./ask-for-clients.ts";
import { type InstallOptions, installedClients, installInto } from "./install-clients.ts";
import { readRemote, remoteWarnings } from "./install-url.ts";
import { checkView, settingsInView } from "./install-view.ts";
import { warnUnavailable } from "./warn-unavailable.ts";

/** `install CLIENT…` */
export async function install(context: Context): Promise<number> {
  const { args, out, prompt } = context;
  const rows = await wantedClients(context);
  const { installed, error } = await installInto(context, rows, {
    ...(await wantedWorkbench(context)),
    name: readName(args.text("name")),
    project: args.flag("project"),
    byFile: args.flag("by-file"),
    dryRun: args.flag("dry-run"),
    ask: prompt.available && !args.flag("yes"),
  });
  out.document({ clients: installed });
  return error?.exitCode ?? EXIT.ok;
}

type Wanted = Pick<InstallOptions, "workbench" | "replacedEntries" | "approvals">;

/** A hook decides by the policy of the configuration, and knows the tools that call others. */
function checkApprovals({ args }: Context, settings?: WorkbenchSettings): void {
  if (!args.flag("approvals")) return;
  const other = ["url", "server"].find((option) => args.text(option) !== undefined);
  const option = other ?? (args.flag("project") ? "project" : undefined);
  if (option !== undefined)
    throw workbenchError("USAGE", { reason: `--approvals and --${option} cannot be combined` });
  if (settings?.toolMode === "dynamic") {
    const reason = 'With "toolMode": "dynamic", there is no use_tool that a hook could explain';
    throw workbenchError("USAGE", { reason }, "Install without --approvals");
  }
}

/** What the clients are to reach: a remote workbench, or one that they start with a configuration. */
async function wantedWorkbench(context: Context): Promise<Wanted> {
  const { args, env, out } = context;
  const view: View = { toolboxes: [...new Set(args.list("toolbox"))], server: args.text("server") };
  if (args.list("toolbox").length > 0 && view.server !== undefined)
    throw workbenchError("USAGE", { reason: "--toolbox and --server cannot be combined" });
  checkApprovals(context);
  const url = args.text("url");
  if (url !== undefined) {
    if (args.flag("no-shared"))
      throw workbenchError("USAGE", { reason: "--no-shared and --url cannot be combined" });
    const workbench = readRemote(args, url, view);
    for (const warning of remoteWarnings(workbench, env)) out.warn(warning);
    return { workbench };
  }
  if (args.text("token-env") !== undefined)
    throw workbenchError("USAGE", { reason: "--token-env requires --url" });
  // Do not install a configuration that cannot be served.
  const all = await loadSettings(context, args.text("config"));
  checkView(view, all);
  checkApprovals(context, all);
  const settings = settingsInView(all, view);
  const { file: config = "" } = settings;
  warnUnavailable(settings, out);
  if (isChosenByFolder(context, config))
    out.warn(
      "Clients will use this project's configuration with --config: changes to it take effect without asking you again",
    );
  return {
    workbench: { config, view, shared: !args.flag("no-shared") },
    approvals: args.flag("approvals") ? config : undefined,
    replacedEntries: args.flag("replace") ? connectingEntries(context, settings) : undefined,
  };
}

function readName(name: string | undefined): string | undefined {
  if (name === undefined || isLegalName(name)) return name;
  const hint = "Use letters, digits, '-', '_' and '.', and start with a letter or digit";
  throw workbenchError("USAGE", { reason: "--name is not a valid name" }, hint);
}

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
  const chosen = await askForClients(context, here);
  if (chosen.length === 0) context.out.say("Nothing was changed.");
  return chosen;
}
