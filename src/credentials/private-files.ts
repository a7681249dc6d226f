import {
  accessSync,
  constants,
  fchmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  type Stats,
} from "node:fs";
import { chmod, lstat } from "node:fs/promises";
import { dirname } from "node:path";

import { ensureOwnDir, ensurePrivateDir } from "../config/directories.ts";
import { reasonOf, workbenchError } from "../errors.ts";
import { withOpenFile } from "../files/with-open-file.ts";
import { codeOf } from "../text/error-code.ts";

/** No record is larger: an access token has some kilobytes. */
const MAX_BYTES = 1024 * 1024;
const RECORD_NAME = /^[0-9a-f]{64}\.json$/;

/** Creates the folder if it does not exist, and makes it private. */
export function ensureFolder(folder: string): void {
  ensurePrivateDir(dirname(folder));
  ensureOwnDir(folder);
}

/** The same; throws if files cannot be created in it, as on a file system that is read-only. */
export function ensureWritableFolder(folder: string): void {
  ensureFolder(folder);
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const reason = reasonOf(error);
    throw workbenchError("FOLDER_UNUSABLE", { path: folder, reason }, undefined, error);
  }
}

/** Makes an existing folder private; throws if it could be under the control of others. */
export function assertFolder(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) ensureOwnDir(folder);
}

/**
 * The text of a file that only this user can have written; undefined if it does not exist. The reasons
 * of errors are for `CREDENTIAL_UNUSABLE`.
 */
export function readOwnFile(
  file: string,
  onWide?: (descriptor: number) => void,
): string | undefined {
  try {
    return withOpenFile(file, "refuse", (descriptor, found) => {
      if (assertOwn(found, file)) onWide?.(descriptor);
      return readFileSync(descriptor, "utf8");
    });
  } catch (error) {
    return withoutFile(error, file);
  }
}

/** The same; a file that others could read is made private. */
export function readAndProtect(file: string): string | undefined {
  return readOwnFile(file, (descriptor) => fchmodSync(descriptor, 0o600));
}

function withoutFile(error: unknown, file: string): undefined {
  if (codeOf(error) === "ENOENT") return undefined;
  if (codeOf(error) === "ELOOP") throw new Error(`${file} is a symbolic link`, { cause: error });
  throw error;
}

/** Throws if others could have written an open file; true if others can read it. */
function assertOwn(found: Stats, file: string): boolean {
  const { mode, uid, size } = found;
  if (!found.isFile()) throw new Error(`${file} is not a regular file`);
  if (isForeign(uid)) throw new Error(`${file} belongs to another user`);
  if (process.platform !== "win32" && (mode & 0o022) !== 0)
    throw new Error(`other users can change ${file} (mode ${octal(mode)})`);
  if (size > MAX_BYTES) throw new Error(`${file} is larger than ${MAX_BYTES} bytes`);
  return process.platform !== "win32" && (mode & 0o077) !== 0;
}

/** Throws if a file must not be replaced; makes it private otherwise. */
export async function assertReplaceable(file: string): Promise<void> {
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined) return;
  if (found.isSymbolicLink()) throw new Error(`${file} is a symbolic link`);
  if (!found.isFile()) throw new Error(`${file} is not a regular file`);
  if (isForeign(found.uid)) throw new Error(`${file} belongs to another user`);
  if (process.platform !== "win32" && (found.mode & 0o077) !== 0) await chmod(file, 0o600);
}

export function isRecordName(name: string): boolean {
  return RECORD_NAME.test(name);
}

/** The names of the files with records, in a stable order. */
export function recordNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter(isRecordName).sort();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** The permissions of a file or folder, such as "644", if others can read or change it. */
export function widePermissions(path: string): string | undefined {
  if (process.platform === "win32") return undefined;
  const found = lstatSync(path, { throwIfNoEntry: false });
  const isWide = found?.isSymbolicLink() === false && (found.mode & 0o077) !== 0;
  return isWide ? octal(found.mode) : undefined;
}

function isForeign(uid: number): boolean {
  return process.getuid !== undefined && uid !== process.getuid();
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(3, "0");
}
