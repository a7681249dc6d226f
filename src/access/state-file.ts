import { dirname } from "node:path";

import type { SharedText } from "../cluster/shared-text.ts";
import { ensurePrivateDir } from "../config/directories.ts";
import { LOCK_TIMING, takeLock } from "../credentials/file-lock.ts";
import { assertReplaceable, readOwnFile } from "../credentials/private-files.ts";
import { isWorkbenchError, reasonOf } from "../errors.ts";
import { writeFileAtomic } from "../files/write-atomic.ts";

/** How a kind of file in the state directory is read and written, and its errors. */
export interface StateFormat<T> {
  /** What is stored if the file does not exist. */
  readonly empty: T;
  parse(text: string): T;
  textOf(value: T): string;
  /** The file cannot be trusted or read; access fails closed. */
  unusable(file: string, reason: string, cause: unknown): Error;
  /** Another process did not finish its change in time. */
  busy(file: string, reason: string): Error;
}

/** A format whose files can be shared by replicas. */
export interface SharedFormat<T> extends StateFormat<T> {
  /**
   * What follows from two states that were changed independently. The order does not matter, and merging again
   * changes nothing, so that all replicas end with the same state whatever they missed.
   */
  merge(local: T, shared: T): T;
}

/** A file of this machine, which is a copy of what all replicas share. */
export interface SharedFile {
  readonly path: string;
  readonly shared: Pick<SharedText, "read" | "replace">;
}

export type StateFile = string | SharedFile;

export function pathOf(file: StateFile): string {
  return typeof file === "string" ? file : file.path;
}

/** Throws if the file cannot be trusted. */
export function readStateFile<T>(file: StateFile, format: StateFormat<T>): T {
  const path = pathOf(file);
  try {
    const text = readOwnFile(path);
    return text === undefined ? format.empty : format.parse(text);
  } catch (error) {
    throw unusable(path, format, error);
  }
}

/** What a change makes of the stored value. It may be made several times, with different values. */
type Change<T, R> = (
  before: T,
  /** The other replicas cannot be reached: they may change the same value now. */
  isAlone: boolean,
) => { readonly next: T; readonly result: R };

/**
 * Replaces what is stored by `next`, and returns the result. One process at a time does this; a
 * process that is killed leaves the old or the new value.
 */
export async function updateStateFile<T, R>(
  file: string,
  format: StateFormat<T>,
  change: Change<T, R>,
): Promise<R> {
  return locked(file, format, async (before, write) => {
    const { next, result } = change(before, false);
    if (next !== before) await write(next);
    return result;
  });
}

/**
 * The same for a file that replicas may share: the change is made to what all of them have, and the file gets the
 * result. While Redis is away, only the file is changed; the next update merges both.
 */
export async function updateSharedFile<T, R>(
  file: StateFile,
  format: SharedFormat<T>,
  change: Change<T, R>,
): Promise<R> {
  if (typeof file === "string") return updateStateFile(file, format, change);
  return locked(file.path, format, async (local, write) => {
    const isLocal = (next: T): boolean =>
      next === local || format.textOf(next) === format.textOf(local);
    const made = (await changeShared(file, format, local, change)) ?? change(local, true);
    if (!isLocal(made.next)) await write(made.next);
    return made.result;
  });
}

/** Takes part in what other replicas have changed, and shares what was changed here. */
export function syncSharedFile<T>(file: SharedFile, format: SharedFormat<T>): Promise<void> {
  return updateSharedFile(file, format, (next) => ({ next, result: undefined }));
}

const TRIES = 50;
const AWAY: unique symbol = Symbol("Redis cannot be used");
const away = (): typeof AWAY => AWAY;

/** Undefined if the other replicas cannot be reached. */
async function changeShared<T, R>(
  { path, shared }: SharedFile,
  format: SharedFormat<T>,
  local: T,
  change: Change<T, R>,
): Promise<ReturnType<Change<T, R>> | undefined> {
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await shared.read().catch(away);
    if (found === AWAY) return undefined;
    const known = found === undefined ? format.empty : format.parse(found.text);
    const made = change(format.merge(local, known), false);
    const text = format.textOf(made.next);
    // Merged with itself, it is without what has ended by the clock of this machine: others may think differently,
    // and replicas must not replace each other's text again and again.
    if (text === format.textOf(format.merge(known, known))) return made;
    const isReplaced = await shared.replace(found, text).catch(away);
    if (isReplaced === AWAY) return undefined;
    if (isReplaced) return made;
  }
  throw format.busy(path, "other replicas change it all the time");
}

/** Calls `work` with what is stored, while no other process on this machine changes it. */
async function locked<T, R>(
  file: string,
  format: StateFormat<T>,
  work: (before: T, write: (next: T) => Promise<void>) => Promise<R>,
): Promise<R> {
  ensurePrivateDir(dirname(file));
  const lock = await takeLock(`${file}.lock`, LOCK_TIMING, (reason) => format.busy(file, reason));
  const write = async (next: T): Promise<void> => {
    await assertReplaceable(file).catch((error: unknown) => {
      throw unusable(file, format, error);
    });
    await lock.assertHeld();
    await writeFileAtomic(file, format.textOf(next), { mode: 0o600 });
  };
  try {
    return await work(readStateFile(file, format), write);
  } finally {
    // A lock that cannot be removed gets stale.
    await lock.release().catch(() => undefined);
  }
}

function unusable<T>(file: string, format: StateFormat<T>, error: unknown): Error {
  if (isWorkbenchError(error)) return error;
  // Some reasons start with the name of the file, which is named already.
  const reason = reasonOf(error).replace(`${file} `, "it ").replace(/\.$/, "");
  return format.unusable(file, reason, error);
}
