import { isHookFile } from "../../clients/hook-file.ts";
import { type InstallRecord, readRecords } from "../../clients/journal.ts";
import { requireClient } from "../../clients/table.ts";
import { planUndo } from "../../clients/undo-install.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import { fingerprint, undoSplice } from "../../files/splice.ts";
import type { Context } from "../core/command.ts";
import { safeText } from "../../text/safe-text.ts";
import {
  type ConfigChange,
  type EffectiveChange,
  lastEffectiveChange,
  revertChange,
} from "../../config/edits/config-changes.ts";
import { configDiff } from "../../config/edits/config-edits.ts";
import { hostInfo, privateStateFolder, shortPath, stateFolder } from "../core/host-info.ts";
import { uninstallFrom } from "./uninstall.ts";
import { reportWritten } from "./report-written.ts";
import {
  type StoredSecrets,
  removeStored,
  storedStill,
} from "../../config/edits/stored-secrets.ts";
import { plural } from "../output/layout.ts";

/** `undo`: undoes the last change to a configuration or a client. */
export async function undo(context: Context): Promise<number> {
  const stateDir = stateFolder(context);
  const installs = (await readRecords(stateDir)).toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const install = installs.at(-1);
  const last = await lastEffectiveChange(stateDir, (change) => hasSecrets(context, change));
  if (last !== undefined && (install === undefined || last.change.at >= install.at))
    return undoChange(context, last);
  if (install !== undefined) return undoInstall(context, install);
  context.out.document({ undone: null, changed: false });
  context.out.say("Nothing to undo.");
  return EXIT.ok;
}

async function undoInstall(context: Context, { client, file }: InstallRecord): Promise<number> {
  const { out } = context;
  const row = requireClient(client);
  const undone = `install ${client}${isHookFile(row, file) ? " --approvals" : ""}`;
  out.say(`Undoing: ${undone}`);
  const plan = await planUndo(row, file, stateFolder(context));
  const isLast = plan.remaining === undefined;
  const what = isHookFile(row, file) ? "the hook for the workbench" : "the workbench";
  const text = isLast ? `Removed ${what} from ${row.label}` : `Restored ${row.label}`;
  const outcome = await uninstallFrom(context, plan, text);
  out.document({ undone, file, diff: plan.diff, ...outcome });
  return EXIT.ok;
}

async function undoChange(context: Context, last: EffectiveChange): Promise<number> {
  const { args, out, prompt } = context;
  const { change, current: before } = last;
  const { file, what } = change;
  if (before === undefined) return undoSecrets(context, last);
  if (fingerprint(before) !== change.after) {
    const saved = change.backup ?? "none: the file did not exist";
    throw workbenchError(
      "FILE_CHANGED",
      { file },
      `It was edited after '${what}'. The backup from before: ${saved}`,
    );
  }
  const after = undoSplice(before, change.splice);
  const diff = await configDiff(file, before, after);
  const report = { undone: what, file, diff };
  out.say(`Undoing: ${what}`);
  if (args.flag("dry-run")) {
    out.print(safeText(diff.trimEnd()));
    out.document({ ...report, changed: false, backup: null });
    return EXIT.ok;
  }
  if (!change.created) out.say(safeText(diff.trimEnd()));
  const name = shortPath(file, hostInfo(context));
  const question = change.created ? `Delete ${name}?` : `Write this to ${name}?`;
  const agreed = args.flag("yes") || !prompt.available || (await prompt.confirm(question, true));
  let backup: string | null = null;
  if (agreed) {
    backup = await revertChange(privateStateFolder(context), last);
    const removed = await removeStored(context, change.secrets);
    if (removed > 0) out.say(`Removed ${secretsFrom(context, removed, change.secrets)}`);
    reportWritten(context, file, change.created ? `Deleted ${name}` : undefined);
  }
  out.document({ ...report, changed: agreed, backup });
  return EXIT.ok;
}

/** Undoes a change of which only secrets are left. */
async function undoSecrets(context: Context, last: EffectiveChange): Promise<number> {
  const { args, out, prompt } = context;
  const { file, what, secrets } = last.change;
  const names = await storedStill(context, secrets);
  const which = secretsFrom(context, names.length, secrets);
  out.say(`Undoing: ${what}, of which only secrets are left`);
  const mayAsk = prompt.available && !args.flag("yes");
  const changed =
    !args.flag("dry-run") && (!mayAsk || (await prompt.confirm(`Remove ${which}?`, true)));
  if (changed) {
    await removeStored(context, secrets);
    await revertChange(privateStateFolder(context), last);
  }
  if (changed) out.say(`${out.noteStyle.green("✓")} Removed ${which}`);
  else if (args.flag("dry-run")) out.print(`Would remove ${which}: ${names.join(", ")}`);
  out.document({ undone: what, file, diff: "", changed, backup: null });
  return EXIT.ok;
}

/** Treat a place that cannot be read as empty: it must not keep older changes from being undone. */
async function hasSecrets(context: Context, { secrets }: ConfigChange): Promise<boolean> {
  return storedStill(context, secrets).then(
    (names) => names.length > 0,
    () => false,
  );
}

/** Such as "3 secrets from ~/.config/mcp-workbench/secrets.env". */
function secretsFrom(
  context: Pick<Context, "env">,
  count: number,
  stored: StoredSecrets | undefined,
): string {
  return `${plural(count, "secret")} from ${shortPath(stored?.label ?? "", hostInfo(context))}`;
}
