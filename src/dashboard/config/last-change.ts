import { privateStateFolder, stateDir, thisMachine } from "../../config/directories.ts";
import {
  type EffectiveChange,
  lastEffectiveChange,
  revertChange,
} from "../../config/edits/config-changes.ts";
import { configDiff } from "../../config/edits/config-edits.ts";
import { removeStored } from "../../config/edits/stored-secrets.ts";
import { fingerprint, undoSplice } from "../../files/splice.ts";
import type { DashboardContext } from "../context.ts";
import type { UndoableChange } from "../contract.ts";

/** The last change, and what undoing it would change; null if there is none. */
export async function undoable(
  context: DashboardContext,
  file: string,
): Promise<UndoableChange | null> {
  const last = await lastChange(context, file);
  if (last === undefined) return null;
  const { change, current } = last;
  const { what, at, splice } = change;
  return { what, at, diff: await configDiff(file, current, undoSplice(current, splice)) };
}

/** The last change, if it is of this file and the file has not been edited since. */
export async function lastChange(
  { env }: DashboardContext,
  file: string,
): Promise<(EffectiveChange & { readonly current: string }) | undefined> {
  const folder = stateDir(thisMachine(env));
  const last = await lastEffectiveChange(folder, () => Promise.resolve(false));
  if (last?.current === undefined || last.change.file !== file || last.change.created)
    return undefined;
  const { current } = last;
  return fingerprint(current) === last.change.after ? { ...last, current } : undefined;
}

/** Undoes a change, and removes the secrets that were stored with it. */
export async function revert({ env }: DashboardContext, last: EffectiveChange): Promise<void> {
  await revertChange(privateStateFolder({ env }), last);
  await removeStored({ env }, last.change.secrets);
}
