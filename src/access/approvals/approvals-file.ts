import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { dirname, join } from "node:path";

import { type Machine, ensurePrivateDir, stateDir } from "../../config/directories.ts";
import { LOCK_TIMING, takeLock } from "../../credentials/file-lock.ts";
import { assertReplaceable, readOwnFileSync } from "../../credentials/private-files.ts";
import { isWorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import { writeFileAtomic } from "../../files/write-atomic.ts";
import { type Approvals, approvalsText, parseApprovals } from "./approval-record.ts";

const KEY_BYTES = 32;

/** Where questions to the user and their answers are stored, for all configurations. */
export function approvalsFile(machine?: Machine): string {
  return join(stateDir(machine), "approvals.json");
}

/** Throws if the file cannot be trusted; then nothing is approved. */
export function readApprovals(file: string): Approvals {
  try {
    const text = readOwnFileSync(file);
    return text === undefined ? NOTHING : parseApprovals(text);
  } catch (error) {
    throw unusable(file, error);
  }
}

const NOTHING: Approvals = { key: "", records: [], always: [], watchers: [] };

/** Changes whenever the file is replaced. */
export function approvalsFileState(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino} ${found.mtimeNs} ${found.size}`;
}

/** Replaces what is stored by what `change` returns, and returns its result. One process at a time. */
export async function updateApprovals<T>(
  file: string,
  change: (approvals: Approvals) => { readonly next: Approvals; readonly result: T },
): Promise<T> {
  ensurePrivateDir(dirname(file));
  const lock = await takeLock(`${file}.lock`, LOCK_TIMING, (reason) =>
    workbenchError("APPROVALS_UNUSABLE", { file, reason }, "Try again"),
  );
  try {
    const read = readApprovals(file);
    const before =
      read.key === "" ? { ...read, key: randomBytes(KEY_BYTES).toString("base64url") } : read;
    const { next, result } = change(before);
    if (next === before) return result;
    await assertReplaceable(file).catch((error: unknown) => {
      throw unusable(file, error);
    });
    await lock.assertHeld();
    await writeFileAtomic(file, approvalsText(next), { mode: 0o600 });
    return result;
  } finally {
    // A lock that cannot be removed gets stale.
    await lock.release().catch(() => undefined);
  }
}

function unusable(file: string, error: unknown): Error {
  if (isWorkbenchError(error)) return error;
  const reason = reasonOf(error).replace(`${file} `, "it ").replace(/\.$/, "");
  const hint = "Nothing is approved until it is repaired or moved away";
  return workbenchError("APPROVALS_UNUSABLE", { file, reason }, hint, error);
}
