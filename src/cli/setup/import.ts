import { EXIT } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { plural } from "../output/layout.ts";
import { loadSettings } from "../core/settings.ts";
import { applyEdit } from "./apply-edit.ts";
import { ConfigText } from "./config-edit.ts";
import { planConfig } from "./config-file.ts";
import { draftFrom, skippedReport } from "./draft.ts";
import { findFiles } from "./find-servers.ts";
import { addServers, alreadyConfigured } from "./import-servers.ts";
import { planSecrets, repositoryWarning, secretsReport, secretsRequest } from "./keep-secrets.ts";
import { askAboutProjectServers } from "./project-servers.ts";
import { showSecrets } from "./show-draft.ts";
import { nothingNew, showNew } from "./show-import.ts";

/** `import`: adds servers of clients that the configuration does not have yet. */
export async function importServers(context: Context): Promise<number> {
  const { args, out } = context;
  const settings = await loadSettings(context, args.text("config"));
  const { file = "" } = settings;
  const files = await findFiles(context);
  const { allowed, refused } = await askAboutProjectServers(context, files);
  const known = await alreadyConfigured(context, allowed, settings);
  const isNew = allowed.map((one) => ({
    ...one,
    servers: one.servers.filter((server) => !known.some((skip) => skip.server === server)),
  }));
  const draft = await draftFrom(context, isNew, args.text("toolbox"));
  const skipped = [...refused, ...known, ...draft.skipped];
  showNew(context, isNew, draft, [...refused, ...draft.skipped]);

  const config = await ConfigText.read(file);
  const request = await secretsRequest(context, file, true);
  const secrets = await planSecrets(context, { ...request, toolboxes: draft.toolboxes });
  const added = addServers(config, secrets.toolboxes);
  const planned = await planConfig(context, file, config.before, config.after);
  const edit = { ...planned, secrets: secrets.additions };
  if (added.length === 0) out.say(nothingNew(known.length));
  const report = await applyEdit(context, edit, {
    what: `import ${plural(added.length, "server")}`,
    ask: !args.flag("yes"),
  });
  if (report.changed) showSecrets(secrets, out);
  const warning = report.changed ? repositoryWarning(secrets) : undefined;
  if (warning !== undefined) out.warn(warning);
  out.document({
    ...report,
    added,
    skipped: skipped.map(skippedReport),
    secrets: secretsReport(secrets),
  });
  return EXIT.ok;
}
