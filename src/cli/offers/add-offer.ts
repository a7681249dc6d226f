import { legalName } from "../../clients/names.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { ownCommand } from "../core/own-command.ts";
import { addEntry, askForToolbox, entryTarget } from "../setup/add-entry.ts";
import { bundleFolders, reportUnused } from "../setup/bundle-folders.ts";
import { secretsRequest } from "../setup/keep-secrets.ts";
import { askValues } from "./ask-values.ts";
import { isBundleFile, offerInFile } from "./find-offer.ts";
import { entryFor, literalSecrets, valuesOf } from "./offer-values.ts";
import { offerInRegistry } from "./registry-offer.ts";
import { offerReport, showEntry, showOffer } from "./show-offer.ts";
import { planStorage } from "./store-secrets.ts";
import { addUnpacked, requireProgram } from "./unpack-offer.ts";

/** `add REGISTRY-NAME[@VERSION]`, `add FILE.mcpb` */
export async function addOffer(context: Context): Promise<number> {
  const { args, out } = context;
  const [word = ""] = args.words;
  const found = isBundleFile(word)
    ? offerInFile(context, word)
    : await offerInRegistry(context, word);
  const { offer } = found;
  requireProgram(context, found);
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
  const before = bundleFolders(context, target);
  const report = await addUnpacked(context, found, () =>
    addEntry(context, target, { toolbox, server, entry, secrets: storage.additions }),
  );
  for (const name of storage.toSet)
    out.warn(`Set ${name} in the environment of the workbench before the server is used`);
  if (report.changed) reportUnused(context, before, target);
  if (report.changed) out.say(`Try it: ${ownCommand(context)} list ${toolbox}/${server}`);
  out.document({ ...report, toolbox, server, offer: offerReport(found) });
  return EXIT.ok;
}

async function isConfirmed({ args, prompt }: Context, label: string): Promise<boolean> {
  if (args.flag("yes") || args.flag("dry-run")) return true;
  if (prompt.available) return prompt.confirm(`Add it as ${label}?`, true);
  const reason = "Nothing was added: what it runs was not confirmed";
  throw workbenchError("USAGE", { reason }, "Read what it runs, then add --yes");
}
