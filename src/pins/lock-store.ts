import { join } from "node:path";

import { ensurePrivateDir, stateDir } from "../config/directories.ts";
import { LOCK_TIMING, takeLock } from "../credentials/file-lock.ts";
import { reasonOf, workbenchError } from "../errors.ts";
import { readPrivateFile } from "../files/read-private-file.ts";
import { readText } from "../files/text-file.ts";
import { uniqueNameFor, writeFileAtomic } from "../files/write-atomic.ts";
import { isObject, parseJson } from "../text/json.ts";
import { hashOf } from "./definition-hash.ts";
import { sourceHash } from "./script-sources.ts";
import { LOCKED_LISTS, type LockFile, formatLock, parseLock } from "./lock-file.ts";

/** Definitions by their hash. */
export type Definitions = ReadonlyMap<string, string>;

/** The content of a lock file, or undefined if there is none; throws if it is damaged. */
export async function readLock(file: string): Promise<LockFile | undefined> {
  const text = await readText(file);
  return text === undefined ? undefined : parsedLock(file, text);
}

function parsedLock(file: string, text: string): LockFile {
  try {
    return parseLock(text);
  } catch (error) {
    const hint = `Restore it from version control, or delete it and run 'mcp-workbench lock' to approve everything as it is now`;
    throw workbenchError("FILE_INVALID", { file, at: "", reason: reasonOf(error) }, hint, error);
  }
}

const MODE = 0o644;
/** More could not be read back. */
const MAX_STORED_CHARS = 8 * 1024 * 1024;

/**
 * Changes a lock file. Only one process at a time: `change` gets what is in the file now, so no other
 * change is lost. The definitions are written first: after a crash, every hash in the lock file still
 * has its definition. Returns whether the file changed.
 */
export async function updateLock(
  file: string,
  change: (lock: LockFile | undefined) => LockFile,
  definitions: Definitions,
): Promise<boolean> {
  const folder = pinsFolder();
  ensurePrivateDir(stateDir());
  ensurePrivateDir(folder);
  const failure = (reason: string): Error =>
    workbenchError("FILE_NOT_WRITABLE", { file, reason }, "Try again");
  const held = await takeLock(join(folder, `${uniqueNameFor(file)}.lock`), LOCK_TIMING, failure);
  try {
    const text = await readText(file);
    const before = text === undefined ? undefined : parsedLock(file, text);
    const after = change(before);
    await storeDefinitions(file, [before, after], definitions);
    const next = formatLock(after);
    if (next === text) return false;
    await held.assertHeld();
    await writeFileAtomic(file, next, { expect: { text }, mode: MODE });
    return true;
  } finally {
    await held.release();
  }
}

/** The approved definitions that are stored on this machine. Damaged ones are left out. */
export function storedDefinitions(file: string): Definitions {
  const record = parseJson(readPrivateFile(definitionsFile(file)) ?? "");
  const stored = isObject(record) && record["version"] === 1 && record["definitions"];
  if (!isObject(stored)) return new Map();
  const known = new Map<string, string>();
  for (const [hash, text] of Object.entries(stored))
    if (typeof text === "string" && hashOf(text) === hash) known.set(hash, text);
  return known;
}

async function storeDefinitions(
  file: string,
  locks: readonly (LockFile | undefined)[],
  added: Definitions,
): Promise<void> {
  const needed = new Set(locks.flatMap((lock) => (lock === undefined ? [] : hashesIn(lock))));
  const known = storedDefinitions(file);
  const all = new Map([...known, ...added]);
  const sources = new Set(Array.from(needed, (hash) => sourceHash(all.get(hash) ?? "")));
  const kept = [...all].filter(([hash]) => needed.has(hash) || sources.has(hash)).sort();
  if (kept.reduce((sum, [, text]) => sum + text.length, 0) > MAX_STORED_CHARS) return;
  if (kept.length === known.size && kept.every(([hash]) => known.has(hash))) return;
  const text = JSON.stringify({ version: 1, definitions: Object.fromEntries(kept) });
  await writeFileAtomic(definitionsFile(file), `${text}\n`, { mode: 0o600 });
}

function hashesIn({ servers }: LockFile): string[] {
  return Array.from(servers.values(), ({ instructions, items }) => [
    ...(instructions === undefined ? [] : [instructions]),
    ...LOCKED_LISTS.flatMap((list) => Array.from(items[list].values(), ({ hash }) => hash)),
  ]).flat();
}

function pinsFolder(): string {
  return join(stateDir(), "pins");
}

function definitionsFile(file: string): string {
  return join(pinsFolder(), `${uniqueNameFor(file)}.json`);
}
