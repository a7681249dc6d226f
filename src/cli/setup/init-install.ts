import type { FoundServer } from "../../clients/read.ts";
import { requireClient } from "../../clients/table.ts";
import type { ClientRow } from "../../clients/types.ts";
import type { WorkbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import type { ReplacedEntries } from "./replaced-entries.ts";
import { type Draft, serversOf } from "./draft.ts";
import { type Installed, installedClients, installInto } from "./install-clients.ts";

/** Refuses unknown names in `--install` before anything is written or started. */
export function checkInstallNames({ args }: Context): void {
  for (const client of args.list("install")) if (client !== "all") requireClient(client);
}

/** The last step of `init`: installs into the clients that were named or that the user chooses. */
export async function offerInstall(
  context: Context,
  config: string,
  draft: Draft,
  needsVariables: boolean,
): Promise<{
  readonly installed: readonly Installed[];
  readonly error: WorkbenchError | undefined;
}> {
  const { args, prompt } = context;
  const rows = await chosenClients(context);
  const ask = prompt.available && !args.flag("yes");
  const imported = serversOf(draft.toolboxes).flatMap(({ from }) => from);
  let replace = args.flag("replace");
  if (rows.length > 0 && ask && !replace && imported.length > 0)
    // Until the variables are set, only the client's own entries work.
    replace = await prompt.confirm(
      "Remove the imported entries from these clients, now that the workbench provides them?",
      !needsVariables,
    );
  const outcome = await installInto(context, rows, {
    workbench: { config },
    dryRun: false,
    ask,
    replacedEntries: replace ? async (servers) => importedFrom(servers, imported) : undefined,
  });
  const emptied = outcome.installed.filter(
    ({ changed, removed = [] }) => changed && removed.length,
  );
  const backups = emptied.flatMap(({ backup }) => backup ?? []);
  if (needsVariables && backups.length > 0)
    context.out.say(
      `\nThe secrets from these entries are now only in the backups:\n  ${backups.join("\n  ")}`,
    );
  return outcome;
}

// --- internal ---

async function chosenClients(context: Context): Promise<readonly ClientRow[]> {
  const { args, out, prompt } = context;
  const named = args.list("install");
  if (named.includes("all")) return installedClients(context);
  if (named.length > 0) return [...new Set(named)].map(requireClient);
  if (!prompt.available || args.flag("yes")) return [];
  const here = await installedClients(context);
  if (here.length === 0) return [];
  out.say("\nInstall the workbench into which clients? Enter numbers, 'all' or 'none'.");
  const labels = here.map(({ label }) => label);
  const chosen = await prompt.choose("Clients:", labels, []);
  return here.filter((_, index) => chosen.includes(index));
}

/** The entries of a file that were imported into the configuration. */
function importedFrom(
  servers: readonly FoundServer[],
  imported: readonly FoundServer[],
): ReplacedEntries {
  const isImported = ({ file, path }: FoundServer): boolean =>
    imported.some((other) => other.file === file && other.path.join("\0") === path.join("\0"));
  const remove = servers.filter((server) => !server.isWorkbench && isImported(server));
  return { remove: remove.map(({ name, path }) => ({ name, path })), kept: [] };
}
