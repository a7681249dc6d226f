import { EXIT } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { readSeconds } from "../core/seconds.ts";
import { type Draft, draftFrom, serversOf } from "./draft.ts";
import { findFiles } from "./find-servers.ts";
import { checkInstallNames, offerInstall } from "./init-install.ts";
import { reportInit } from "./init-report.ts";
import { configTarget } from "./init-target.ts";
import { planNewConfig, writeConfig } from "./init-write.ts";
import type { Installed } from "./install-clients.ts";
import { planSecrets, repositoryWarning } from "./keep-secrets.ts";
import { hostInfo } from "../core/host-info.ts";
import { askAboutProjectServers } from "./project-servers.ts";
import { showProposal, showSecrets, showTokens } from "./show-draft.ts";
import { tryServers } from "./trial.ts";

const TRIAL_SECONDS = 20;

/** `init`: creates a working configuration from the servers in the clients on this machine. */
export async function init(context: Context): Promise<number> {
  const { args, out } = context;
  const timeoutMs = readSeconds(args.text("timeout"), TRIAL_SECONDS);
  checkInstallNames(context);
  const file = configTarget(context);
  const files = await findFiles(context);
  const { allowed, refused } = await askAboutProjectServers(context, files);
  const { toolboxes: proposed, skipped } = await draftFrom(context, allowed, args.text("toolbox"));
  const draft: Draft = { toolboxes: proposed, skipped: [...refused, ...skipped] };
  const isEmpty = serversOf(draft.toolboxes).length === 0;
  showProposal(files, draft, hostInfo(context), out);
  const connects = !isEmpty && !args.flag("no-connect") && !args.flag("dry-run");
  if (connects) out.say(`\n${out.noteStyle.bold("Connecting to the servers")}`);
  const trial = connects ? await tryServers(context, draft.toolboxes, timeoutMs) : undefined;
  if (trial !== undefined) showTokens(trial, out);

  const secrets = await planSecrets(context, { file, toolboxes: draft.toolboxes });
  const planned = await planNewConfig(context, file, secrets.toolboxes);
  const edit = { ...planned, secrets: secrets.additions };
  const written = await writeConfig(context, edit, isEmpty);
  if (written || args.flag("dry-run")) showSecrets(secrets, out);
  const warning = written ? repositoryWarning(secrets) : undefined;
  if (warning !== undefined) out.warn(warning);
  const { installed, error } = written
    ? await offerInstall(context, file, draft, secrets.needsUser)
    : { installed: [], error: undefined };
  if (written && error === undefined) out.say(nextStep(installed));
  reportInit(context, { files, draft, trial, secrets, edit, written, installed });
  return error?.exitCode ?? EXIT.ok;
}

// --- internal ---

function nextStep(installed: readonly Installed[]): string {
  return installed.some(({ changed }) => changed)
    ? "\nRestart the client, then check everything with: mcp-workbench doctor"
    : "\nNext: mcp-workbench install CLIENT, then check everything with: mcp-workbench doctor";
}
