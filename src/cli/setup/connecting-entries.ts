import type { FoundServer } from "../../clients/read.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { safeLine } from "../../text/safe-text.ts";
import type { Context } from "../core/command.ts";
import { connectAll, explainFailure, labelOf } from "../use/connect.ts";
import { serversAt } from "../use/target.ts";
import { withWorkbench } from "../use/with-workbench.ts";
import { withKnownSecrets } from "./known-secrets.ts";
import { type ReplacedEntries, replacedEntries } from "./replaced-entries.ts";

/**
 * Finds the entries of one client after the other that the workbench replaces. An entry is removed
 * only if its server connects; each server is tried once, and none in a dry run.
 */
export function connectingEntries(
  context: Context,
  settings: WorkbenchSettings,
): (servers: readonly FoundServer[]) => Promise<ReplacedEntries> {
  /** Why a server does not connect, by its label; undefined if it does. */
  const outcomes = new Map<string, string | undefined>();
  let known: Promise<WorkbenchSettings> | undefined;
  return async (servers) => {
    known ??= withKnownSecrets(context, settings);
    const { remove, kept } = await replacedEntries(context, servers, await known);
    if (remove.length === 0) return { remove, kept };
    if (context.args.flag("dry-run")) {
      context.out.say("  Entries are removed only if their servers connect");
      return { remove, kept };
    }
    const labels = remove.flatMap(({ by }) => (by === undefined ? [] : [by]));
    await connect(
      context,
      settings,
      labels.filter((label) => !outcomes.has(label)),
      outcomes,
    );
    const failures = remove.flatMap(({ name, by = "" }) => {
      const reason = outcomes.get(by);
      return reason === undefined ? [] : [{ name, reason }];
    });
    return {
      remove: remove.filter(({ by = "" }) => outcomes.get(by) === undefined),
      kept: [...kept, ...failures],
    };
  };
}

async function connect(
  context: Context,
  settings: WorkbenchSettings,
  labels: readonly string[],
  outcomes: Map<string, string | undefined>,
): Promise<void> {
  if (labels.length === 0) return;
  context.out.say(context.out.noteStyle.bold("Connecting to the servers"));
  await withWorkbench(context, settings, async ({ workbench, client }) => {
    const servers = serversAt(workbench, {}).filter((server) => labels.includes(labelOf(server)));
    const { connected, failed } = await connectAll(client, servers, context.out);
    for (const { server } of connected) outcomes.set(labelOf(server), undefined);
    for (const { server, error } of failed)
      outcomes.set(labelOf(server), safeLine(explainFailure(error).reason));
  });
}
