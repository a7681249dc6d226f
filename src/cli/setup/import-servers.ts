import { updatedDescription } from "../../clients/describe.ts";
import { claimName, legalName } from "../../clients/names.ts";
import type { ProposedToolbox, Skipped } from "../../clients/propose.ts";
import type { FoundFile } from "../../clients/read.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import type { Context } from "../core/command.ts";
import { replacedEntries } from "./replaced-entries.ts";
import type { ConfigText } from "./config-edit.ts";
import { withKnownSecrets } from "./known-secrets.ts";

/** The servers that the configuration has already, with the reason to leave them out. */
export async function alreadyConfigured(
  context: Context,
  files: readonly FoundFile[],
  settings: WorkbenchSettings,
): Promise<readonly Skipped[]> {
  const skipped: Skipped[] = [];
  const known = await withKnownSecrets(context, settings);
  for (const server of files.flatMap(({ servers }) => servers)) {
    const { remove, kept } = await replacedEntries(context, [server], known);
    if (remove.length > 0) skipped.push({ server, reason: "it is already in the configuration" });
    else if (kept.length > 0)
      skipped.push({
        server,
        reason: "it seems to be in the configuration already, with variables that are not set",
      });
  }
  return skipped;
}

/** Adds the servers to the text of a configuration, under names that are free in their toolbox. */
export function addServers(
  config: ConfigText,
  toolboxes: readonly ProposedToolbox[],
): readonly { readonly toolbox: string; readonly name: string }[] {
  const added: { toolbox: string; name: string }[] = [];
  for (const { name: toolbox, description, servers } of toolboxes) {
    const proposed = servers.map(({ name }) => name);
    const taken = new Set(
      [...(config.toolboxes.get(toolbox) ?? [])].map((name) => name.toLowerCase()),
    );
    for (const { name: preferred, entry, from } of servers) {
      const longer = legalName(`${preferred}-${from[0]?.client ?? "imported"}`, preferred);
      const name = claimName([preferred, longer], taken);
      // Created with the first name only: each further server adds its own.
      config.setServer(toolbox, updatedDescription(description, proposed, [name]), name, entry);
      added.push({ toolbox, name });
    }
  }
  return added;
}
