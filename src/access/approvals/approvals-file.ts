import { randomBytes } from "node:crypto";
import { join } from "node:path";

import { type Machine, stateDir } from "../../config/directories.ts";
import { workbenchError } from "../../errors.ts";
import {
  type SharedFormat,
  type StateFile,
  readStateFile,
  updateSharedFile,
} from "../state-file.ts";
import { type Approvals, approvalsText, parseApprovals } from "./approval-record.ts";
import { mergeApprovals, withEnded } from "./merge-approvals.ts";

const KEY_BYTES = 32;

export const APPROVALS_FORMAT: SharedFormat<Approvals> = {
  empty: { key: "", records: [], always: [], watchers: [] },
  parse: parseApprovals,
  textOf: approvalsText,
  merge: mergeApprovals,
  unusable: (file, reason, cause) => {
    const hint = "Nothing is approved until it is repaired or moved away";
    return workbenchError("APPROVALS_UNUSABLE", { file, reason }, hint, cause);
  },
  busy: (file, reason) => workbenchError("APPROVALS_UNUSABLE", { file, reason }, "Try again"),
};

/** Where questions to the user and their answers are stored, for all configurations. */
export function approvalsFile(machine?: Machine): string {
  return join(stateDir(machine), "approvals.json");
}

/** Throws if the file cannot be trusted; then nothing is approved. */
export function readApprovals(file: StateFile): Approvals {
  return readStateFile(file, APPROVALS_FORMAT);
}

/** Replaces what is stored, and returns the result. */
export function updateApprovals<T>(
  file: StateFile,
  change: (
    approvals: Approvals,
    isAlone: boolean,
  ) => { readonly next: Approvals; readonly result: T },
): Promise<T> {
  return updateSharedFile(file, APPROVALS_FORMAT, (stored, isAlone) => {
    const hasKey = stored.key !== "";
    const before = hasKey
      ? stored
      : { ...stored, key: randomBytes(KEY_BYTES).toString("base64url") };
    const { next, result } = change(before, isAlone);
    // A new key alone is nothing to keep.
    return { next: next === before ? stored : withEnded(before, next), result };
  });
}
