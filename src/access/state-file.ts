import { dirname } from "node:path";

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

/** Throws if the file cannot be trusted. */
export function readStateFile<T>(file: string, format: StateFormat<T>): T {
  try {
    const text = readOwnFile(file);
    return text === undefined ? format.empty : format.parse(text);
  } catch (error) {
    throw unusable(file, format, error);
  }
}

/**
 * Replaces what is stored by `next`, and returns the result. One process at a time does this; a
 * process that is killed leaves the old or the new value.
 */
export async function updateStateFile<T, R>(
  file: string,
  format: StateFormat<T>,
  change: (before: T) => { readonly next: T; readonly result: R },
): Promise<R> {
  ensurePrivateDir(dirname(file));
  const lock = await takeLock(`${file}.lock`, LOCK_TIMING, (reason) => format.busy(file, reason));
  try {
    const before = readStateFile(file, format);
    const { next, result } = change(before);
    if (next === before) return result;
    await assertReplaceable(file).catch((error: unknown) => {
      throw unusable(file, format, error);
    });
    await lock.assertHeld();
    await writeFileAtomic(file, format.textOf(next), { mode: 0o600 });
    return result;
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
