import { type InstallRecord, readRecords } from "../../clients/journal.ts";
import { requireClient } from "../../clients/table.ts";
import { planUninstall } from "../../clients/uninstall.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import { fingerprint, undoSplice } from "../../files/splice.ts";
import type { Context } from "../core/command.ts";
import { safeText } from "../../text/safe-text.ts";
import { type EffectiveChange, lastEffectiveChange, revertChange } from "./config-changes.ts";
import { configDiff } from "./config-file.ts";
import { hostInfo, privateStateFolder, shortPath, stateFolder } from "../core/host-info.ts";
import { uninstallFrom } from "./uninstall.ts";
import { reportWritten } from "./report-written.ts";
import { removeStored } from "./stored-secrets.ts";

/** `undo`: undoes the last change to a configuration or a client. */
export async function undo(context: Context): Promise<number> {
  const stateDir = stateFolder(context);
  const installs = (await readRecords(stateDir)).toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const install = installs.at(-1);
  const last = await lastEffectiveChange(stateDir);
  if (last !== undefined && (install === undefined || last.change.at >= install.at))
    return undoChange(context, last);
  if (install !== undefined) return undoInstall(context, install);
  context.out.document({ undone: null, changed: false });
  context.out.say("Nothing to undo.");
  return EXIT.ok;
}

// --- internal ---

async function undoInstall(context: Context, { client, file }: InstallRecord): Promise<number> {
  const { out } = context;
  const row = requireClient(client);
  const undone = `install ${client}`;
  out.say(`Undoing: ${undone}`);
  const plan = await planUninstall(row, file, stateFolder(context));
  const outcome = await uninstallFrom(context, plan);
  out.document({ undone, file, diff: plan.diff, ...outcome });
  return EXIT.ok;
}

async function undoChange(context: Context, last: EffectiveChange): Promise<number> {
  const { args, out, prompt } = context;
  const { change, current: before } = last;
  const { file, what } = change;
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
    await removeStored(context, change.secrets);
    reportWritten(context, file, change.created ? `Deleted ${name}` : undefined);
  }
  out.document({ ...report, changed: agreed, backup });
  return EXIT.ok;
}
