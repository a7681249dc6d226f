import { rm } from "node:fs/promises";
import { join } from "node:path";

import { backUp, createFolders, writeFileAtomic } from "../../files/write-atomic.ts";
import { type Splice, fingerprint, undoSplice } from "../../files/splice.ts";
import { isObject } from "../../text/json.ts";
import { readText } from "../../files/text-file.ts";
import type { StoredSecrets } from "./stored-secrets.ts";

/** A change to a configuration, with everything needed to undo it. */
export interface ConfigChange {
  readonly version: 1;
  readonly file: string;
  /** Description of the change. */
  readonly what: string;
  readonly at: string;
  readonly created: boolean;
  readonly splice: Splice;
  /** Fingerprints of the file. */
  readonly before: string;
  readonly after: string;
  readonly backup: string | undefined;
  /** The secrets that were stored with it. */
  readonly secrets?: StoredSecrets;
}

const KEPT = 20;

const fileIn = (stateDir: string): string => join(stateDir, "config-changes.json");

/** The changes that can be undone, most recent last. */
async function readChanges(stateDir: string): Promise<readonly ConfigChange[]> {
  const text = await readText(fileIn(stateDir));
  if (text === undefined) return [];
  try {
    const list: unknown = JSON.parse(text);
    const isChange = (item: unknown): item is ConfigChange =>
      isObject(item) && item["version"] === 1;
    return Array.isArray(list) ? list.filter(isChange) : [];
  } catch {
    // Treat an unreadable list as empty: the backups are still there.
    return [];
  }
}

export async function addChange(stateDir: string, change: ConfigChange): Promise<void> {
  await writeChanges(stateDir, [...(await readChanges(stateDir)), change].slice(-KEPT));
}

/** A change that is in effect. */
export interface EffectiveChange {
  readonly change: ConfigChange;
  /** The text of the file; undefined if only secrets are left of the change. */
  readonly current: string | undefined;
  /** How many later changes were never made, or were undone by hand. */
  readonly later: number;
}

/**
 * The last change that is in effect. Of a change that was interrupted, or undone by hand, secrets
 * may be left, which are stored before the file is written.
 */
export async function lastEffectiveChange(
  stateDir: string,
  hasSecrets: (change: ConfigChange) => Promise<boolean>,
): Promise<EffectiveChange | undefined> {
  for (const [later, change] of (await readChanges(stateDir)).toReversed().entries()) {
    const current = await readText(change.file);
    const isAsBefore =
      current === undefined ? change.created : fingerprint(current) === change.before;
    if (current !== undefined && !isAsBefore) return { change, current, later };
    if (isAsBefore && (await hasSecrets(change))) return { change, current: undefined, later };
  }
  return undefined;
}

/** Undoes the last change to a file that has not been edited since; returns the backup. */
export async function revertChange(
  stateDir: string,
  { change: { file, created, splice }, current, later }: EffectiveChange,
): Promise<string | null> {
  let backup: string | null = null;
  if (current !== undefined) {
    backup = await backUp(file, join(stateDir, "backups"), new Date());
    if (created) await rm(file);
    else await writeFileAtomic(file, undoSplice(current, splice), { expect: { text: current } });
  }
  await forgetChanges(stateDir, 1 + later);
  return backup;
}

/** Removes a change that was not made from the list. */
export async function forgetChange(stateDir: string, change: ConfigChange): Promise<void> {
  const text = JSON.stringify(change);
  const isOther = (one: ConfigChange): boolean => JSON.stringify(one) !== text;
  await writeChanges(stateDir, (await readChanges(stateDir)).filter(isOther));
}

/** Removes the most recent changes from the list. */
async function forgetChanges(stateDir: string, count: number): Promise<void> {
  await writeChanges(stateDir, (await readChanges(stateDir)).slice(0, -count));
}

async function writeChanges(stateDir: string, changes: readonly ConfigChange[]): Promise<void> {
  await createFolders(stateDir);
  // Configurations may contain secrets, and so may the text that was replaced.
  const text = `${JSON.stringify(changes, undefined, 2)}\n`;
  await writeFileAtomic(fileIn(stateDir), text, { mode: 0o600 });
}
