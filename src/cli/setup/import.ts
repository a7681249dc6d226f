import { legalName, claimName } from "../../clients/names.ts";
import type { ProposedToolbox, Skipped } from "../../clients/propose.ts";
import type { FoundFile } from "../../clients/read.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { EXIT } from "../../errors.ts";
import type { Context } from "../command.ts";
import { plural } from "../output/layout.ts";
import { loadSettings } from "../settings.ts";
import { replacedEntries } from "./behind.ts";
import { applyEdit } from "./carry-out.ts";
import { ConfigText } from "./config-edit.ts";
import { planConfig } from "./config-file.ts";
import { draftFrom, replaceSecretsByVariables } from "./draft.ts";
import { findFiles } from "./find-servers.ts";
import { keepSecrets } from "./keep-secrets.ts";
import { hostInfo } from "./machine.ts";
import { askAboutProjectServers } from "./project-servers.ts";
import { showFound, showSecrets, showSkipped } from "./show-draft.ts";

/** `import`: adds servers of clients that the configuration does not have yet. */
export async function importServers(context: Context): Promise<number> {
  const { args, out } = context;
  const settings = await loadSettings(context, args.text("config"));
  const { file = "" } = settings;
  const files = await findFiles(context);
  showFound(files, hostInfo(context), out);
  const { allowed, refused } = await askAboutProjectServers(context, files);
  const known = await alreadyThere(context, allowed, settings);
  const isNew = allowed.map((one) => ({
    ...one,
    servers: one.servers.filter((server) => !known.some((skip) => skip.server === server)),
  }));
  const draft = await draftFrom(context, isNew, args.text("toolbox"));
  const skipped = [...refused, ...known, ...draft.skipped];
  showSkipped(skipped, out);

  const config = await ConfigText.read(file);
  const { toolboxes, moved } = replaceSecretsByVariables(draft.toolboxes, config.variables);
  const keep = await keepSecrets(context, moved);
  const added = addAll(config, keep ? draft.toolboxes : toolboxes);
  const edit = await planConfig(context, file, config.before, config.after);
  if (added.length === 0) out.say("There is nothing new to import.");
  const report = await applyEdit(context, edit, {
    what: `import ${plural(added.length, "server")}`,
    ask: !args.flag("yes"),
  });
  if (report.changed && !keep) showSecrets(moved, out);
  out.document({
    ...report,
    added,
    skipped: skipped.map(skippedReport),
    secrets: keep ? [] : moved.map(({ variable, uses }) => ({ variable, uses })),
  });
  return EXIT.ok;
}

/** A server that was left out, as programs are told of it. */
export function skippedReport({ server, reason }: Skipped): object {
  const { client, file, name } = server;
  return { client, file, name, reason };
}

// --- internal ---

async function alreadyThere(
  context: Context,
  files: readonly FoundFile[],
  settings: WorkbenchSettings,
): Promise<readonly Skipped[]> {
  const skipped: Skipped[] = [];
  for (const server of files.flatMap(({ servers }) => servers)) {
    const { remove, kept } = await replacedEntries(context, [server], settings);
    if (remove.length > 0) skipped.push({ server, reason: "the configuration has it already" });
    else if (kept.length > 0)
      skipped.push({
        server,
        reason: "the configuration seems to have it, with variables that are not set",
      });
  }
  return skipped;
}

function addAll(
  config: ConfigText,
  toolboxes: readonly ProposedToolbox[],
): readonly { readonly toolbox: string; readonly name: string }[] {
  const added: { toolbox: string; name: string }[] = [];
  for (const { name: toolbox, description, servers } of toolboxes) {
    const taken = new Set(
      [...(config.toolboxes.get(toolbox) ?? [])].map((name) => name.toLowerCase()),
    );
    for (const { name: wish, entry, from } of servers) {
      const longer = legalName(`${wish}-${from[0]?.client ?? "imported"}`, wish);
      const name = claimName([wish, longer], taken);
      config.setServer(toolbox, description, name, entry);
      added.push({ toolbox, name });
    }
  }
  return added;
}
