import { EXIT } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { currentConfig } from "./current-config.ts";
import { planNewConfig, settingsWith } from "./init-config.ts";
import { proposeDraft } from "./init-draft.ts";
import { checkInitOptions, offerInstall } from "./init-install.ts";
import { reportInit } from "./init-report.ts";
import { configTarget } from "./init-target.ts";
import { writeConfig } from "./init-write.ts";
import { planSecrets, repositoryWarning, secretsRequest } from "./keep-secrets.ts";
import { type Readiness, readinessOf } from "./readiness.ts";
import { rememberTools } from "./remember-tools.ts";
import { showSecrets } from "./show-draft.ts";
import { noteHalfDone, showNextStep, showSummary } from "./show-summary.ts";
import { tryDraft } from "./try-draft.ts";

/** `init`: creates a working configuration from the servers in the clients on this machine. */
export async function init(context: Context): Promise<number> {
  const { args, out } = context;
  checkInitOptions(context);
  const file = configTarget(context);
  const current = await currentConfig(context, file);
  const { files, draft: proposed } = await proposeDraft(context, current);
  const keeps = current !== undefined;
  const request = await secretsRequest(context, file, keeps);
  // Fails before servers are started if secrets cannot be stored.
  await planSecrets(context, { ...request, toolboxes: proposed.toolboxes });
  const settingsFor = ({ toolboxes }: typeof proposed): ReturnType<typeof settingsWith> =>
    settingsWith(context, toolboxes, keeps ? file : undefined);
  const { draft, trial } = await tryDraft(context, proposed, settingsFor);

  const secrets = await planSecrets(context, { ...request, toolboxes: draft.toolboxes });
  const planned = await planNewConfig(context, file, secrets.toolboxes, keeps);
  const edit = { ...planned, secrets: secrets.additions };
  const tried = await settingsFor(draft);
  const isStarter = draft.toolboxes.length === 0 && !keeps;
  const written = await writeConfig(context, edit, { isStarter, keeps });
  if (written || args.flag("dry-run")) showSecrets(secrets, out);
  if (written) noteHalfDone(context);
  const warning = written ? repositoryWarning(secrets) : undefined;
  if (warning !== undefined) out.warn(warning);

  const config = { file, text: edit.after, tried };
  const readiness = written ? await readinessOf(context, config, trial) : UNKNOWN;
  if (trial !== undefined) {
    const values = secrets.moved.map(({ value }) => value);
    // A cache that cannot be written costs the first session some time, and nothing else.
    await rememberTools(context, config, trial, readiness, values).catch(() => undefined);
  }
  const { installed, error } = written
    ? await offerInstall(context, file, draft, readiness)
    : { installed: [], error: undefined };
  showSummary(readiness, installed, context);
  if (written) showNextStep(installed, context);
  reportInit(context, { files, draft, trial, secrets, edit, written, readiness, installed });
  if (error !== undefined) return error.exitCode;
  const isIncomplete = args.flag("strict") && readiness.needsUser.length > 0;
  return isIncomplete ? EXIT.serverUnavailable : EXIT.ok;
}

/** Before the configuration is written, no server works behind the workbench. */
const UNKNOWN: Readiness = { working: [], needsUser: [] };
