import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { access, chown, mkdir, open, readdir, rename, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

import { isWorkbenchError, reasonOf, workbenchError } from "../errors.ts";
import { realPathOf } from "./real-path.ts";
import { isProcessRunning } from "./is-running.ts";
import { codeOf } from "../text/error-code.ts";
import { readText } from "./text-file.ts";

export interface WriteOptions {
  /**
   * What the file must still contain right before it is replaced (undefined: it must not exist). If
   * left out, the file is replaced whatever it contains.
   */
  readonly expect?: { readonly text: string | undefined };
  /** Permissions of a new file. By default only the owner can read it, because it may hold secrets. */
  readonly mode?: number;
}

const TEMPORARY = ".workbench-tmp";

/**
 * Replaces a file atomically: at any moment and after any crash, readers see either the complete old
 * or the complete new content. A symbolic link stays a link and its target is replaced; permissions
 * and owner are kept. A read-only file is rejected even if the folder would allow the rename, because
 * it was protected on purpose.
 */
export async function writeFileAtomic(
  file: string,
  content: string,
  options: WriteOptions = {},
): Promise<void> {
  try {
    const target = targetOf(file);
    const previous = await existing(target);
    if (previous !== undefined) await refuseReadOnly(file, target, previous.mode);
    await replace(target, content, previous, options);
  } catch (error) {
    if (isWorkbenchError(error)) throw error;
    throw notWritable(file, reasonOf(error), error);
  }
}

/** Throws early if `writeFileAtomic` would reject the file because it is read-only. */
export async function assertWritable(file: string): Promise<void> {
  const target = targetOf(file);
  const previous = await existing(target).catch((error: unknown) => {
    throw notWritable(file, reasonOf(error), error);
  });
  if (previous !== undefined) await refuseReadOnly(file, target, previous.mode);
}

/**
 * Creates a private folder with its missing parents, and returns the folders it created, innermost
 * first. One by one: the recursive variant of Node.js never ends where none can be created, as in `/proc`.
 */
export async function createFolders(folder: string, mode = 0o700): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let at = resolve(folder); !(await isFolder(at)); at = dirname(at)) {
    missing.push(at);
    if (at === dirname(at)) break;
  }
  const created: string[] = [];
  for (const path of missing.toReversed()) {
    try {
      await mkdir(path, { mode });
      created.unshift(path);
    } catch (error) {
      // Another process may have created it in the meantime.
      if (!(await isFolder(path))) throw notWritable(path, reasonOf(error), error);
    }
  }
  return created;
}

const BACKUPS_KEPT = 10;

/**
 * Copies a file before it is changed and returns the path of the copy. Copies are kept in a separate
 * folder: a `.bak` with a token in it next to a project's `.mcp.json` would end up in that project's
 * repository.
 */
export async function backUp(file: string, folder: string, at: Date): Promise<string> {
  const text = await readText(file);
  if (text === undefined) throw notWritable(file, "it does not exist, so it cannot be backed up");
  await createFolders(folder);
  const stamp = at.toISOString().replaceAll(/[:.]/g, "-");
  const suffix = `.${uniqueNameFor(file)}.bak`;
  const copy = join(folder, `${stamp}-${randomBytes(3).toString("hex")}${suffix}`);
  await writeFileAtomic(copy, text, { mode: 0o600 });
  const earlier = (await readdir(folder)).filter((name) => name.endsWith(suffix)).sort();
  for (const name of earlier.slice(0, -BACKUPS_KEPT)) await rm(join(folder, name), { force: true });
  return copy;
}

/** A readable file name that is unique for a path. */
export function uniqueNameFor(path: string): string {
  const hash = createHash("sha256").update(resolve(path)).digest("hex").slice(0, 16);
  return `${basename(path).replaceAll(/[^\w.-]/g, "_")}-${hash}`;
}

interface Previous {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

async function replace(
  target: string,
  content: string,
  previous: Previous | undefined,
  options: WriteOptions,
): Promise<void> {
  await removeAbandoned(target);
  const name = `.${basename(target)}.${process.pid}.${randomBytes(4).toString("hex")}${TEMPORARY}`;
  const temporary = join(dirname(target), name);
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(content, "utf8");
      if (previous !== undefined) await keepOwner(temporary, target, previous);
      await handle.chmod(previous === undefined ? (options.mode ?? 0o600) : previous.mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (options.expect !== undefined && (await readText(target)) !== options.expect.text) {
      throw workbenchError("FILE_CHANGED", { file: target }, "Run the command again");
    }
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(target));
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function existing(target: string): Promise<Previous | undefined> {
  try {
    const { mode, uid, gid } = await stat(target);
    return { mode: mode & 0o7777, uid, gid };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The real path of a file, even if it does not exist yet. */
function targetOf(file: string): string {
  try {
    return realPathOf(file);
  } catch (error) {
    throw notWritable(file, reasonOf(error), error);
  }
}

/** Checks the permission bits too, because root may write to any file. */
async function refuseReadOnly(file: string, target: string, mode: number): Promise<void> {
  const allowed = await access(target, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (allowed && (mode & 0o222) !== 0) return;
  throw notWritable(file, "it is read-only", undefined, "Make it writable and try again");
}

/** Renaming over another user's file would change its owner and could lock that user out. */
async function keepOwner(temporary: string, target: string, previous: Previous): Promise<void> {
  if (process.platform === "win32") return;
  const { uid, gid } = await stat(temporary);
  if (uid === previous.uid && gid === previous.gid) return;
  try {
    await chown(temporary, previous.uid, previous.gid);
  } catch (error) {
    if (uid !== previous.uid) {
      throw notWritable(target, "it belongs to another user", error);
    }
  }
}

/** Removes temporary files that a killed workbench process left next to this file. */
async function removeAbandoned(target: string): Promise<void> {
  const prefix = `.${basename(target)}.`;
  for (const name of await readdir(dirname(target))) {
    if (!name.startsWith(prefix) || !name.endsWith(TEMPORARY)) continue;
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    if (!isProcessRunning(pid)) await rm(join(dirname(target), name), { force: true });
  }
}

/** Makes the rename durable. Some systems cannot sync a folder; that is not an error. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

function notWritable(file: string, reason: string, cause?: unknown, hint?: string): Error {
  return workbenchError("FILE_NOT_WRITABLE", { file, reason }, hint, cause);
}
