import { rm } from "node:fs/promises";

import { legalName } from "../../clients/names.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import { installBundle } from "../../offers/bundles/install-bundle.ts";
import { visible } from "../../text/visible.ts";
import type { Context } from "../core/command.ts";
import { ownCommand } from "../core/own-command.ts";
import { addEntry, askForToolbox, entryTarget } from "../setup/add-entry.ts";
import { secretsRequest } from "../setup/keep-secrets.ts";
import { askValues } from "./ask-values.ts";
import { type FoundOffer, isBundleFile, offerInFile } from "./find-offer.ts";
import { entryFor, literalSecrets, valuesOf } from "./offer-values.ts";
import { hasProgram, offerInRegistry } from "./registry-offer.ts";
import { offerReport, showEntry, showOffer } from "./show-offer.ts";
import { planStorage } from "./store-secrets.ts";

/** `add REGISTRY-NAME[@VERSION]`, `add FILE.mcpb` */
export async function addOffer(context: Context): Promise<number> {
  const { args, out, env } = context;
  const [word = ""] = args.words;
  const found = isBundleFile(word)
    ? offerInFile(context, word)
    : await offerInRegistry(context, word);
  const { offer } = found;
  const { command } = offer.runs ?? {};
  if (found.bundle !== undefined && command !== undefined && !hasProgram(command, env))
    if (!command.startsWith(found.bundle.folder))
      throw workbenchError("CANNOT_ADD", {
        name: visible(offer.name),
        reason: `${command} was not found on the PATH`,
      });
  showOffer(context, found);
  const given = await askValues(context, offer);
  const target = await entryTarget(context);
  const server = args.text("name") ?? legalName(offer.name.split("/").at(-1) ?? "", "server");
  const secrets = literalSecrets(offer, given);
  const request = await secretsRequest(context, target.file, target.before !== undefined);
  const storage = await planStorage(context, request, server, secrets);
  const entry = entryFor(found, valuesOf(context, offer, given, storage.references));
  showEntry(context, entry);
  const toolbox = await askForToolbox(context, target, server, entry);
  if (!(await isConfirmed(context, `${toolbox}/${server}`))) {
    out.say("Nothing was changed.");
    return EXIT.ok;
  }
  const report = await addUnpacked(context, found, () =>
    addEntry(context, target, { toolbox, server, entry, secrets: storage.additions }),
  );
  for (const name of storage.toSet)
    out.warn(`Set ${name} in the environment of the workbench before the server is used`);
  if (report.changed) out.say(`Try it: ${ownCommand(context)} list ${toolbox}/${server}`);
  out.document({ ...report, toolbox, server, offer: offerReport(found) });
  return EXIT.ok;
}

/** Unpacks the bundle, then changes the configuration; removes the files again if that fails. */
async function addUnpacked<T extends { readonly changed: boolean }>(
  { args, signal }: Context,
  { bundle }: FoundOffer,
  change: () => Promise<T>,
): Promise<T> {
  if (bundle === undefined || args.flag("dry-run")) return change();
  const isNew = await installBundle(bundle.folder, bundle.content, signal);
  try {
    return await change();
  } catch (error) {
    if (isNew) await rm(bundle.folder, { recursive: true, force: true });
    throw error;
  }
}

async function isConfirmed({ args, prompt }: Context, label: string): Promise<boolean> {
  if (args.flag("yes") || args.flag("dry-run")) return true;
  if (prompt.available) return prompt.confirm(`Add it as ${label}?`, true);
  const reason = "Nothing was added: what it runs was not confirmed";
  throw workbenchError("USAGE", { reason }, "Read what it runs, then add --yes");
}
