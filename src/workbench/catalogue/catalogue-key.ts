import { randomBytes } from "node:crypto";
import { link, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { ensurePrivateDir } from "../../config/directories.ts";
import { codeOf } from "../../text/error-code.ts";

const KEY_BYTES = 32;

/**
 * The user's key for names and checksums in the catalogue cache. It is stored with the state, not
 * with the cache: a copy of the cache alone is not enough to guess secrets from its names.
 */
export async function readKey(file: string): Promise<Buffer | undefined> {
  // Reading something that is not a file, such as a pipe, could block forever.
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true || found.size !== KEY_BYTES) return undefined;
  const bytes = await readFile(file).catch(() => undefined);
  return bytes?.length === KEY_BYTES ? bytes : undefined;
}

/** The key, created if there is none. Processes that create one at once all get the same. */
export async function ensureKey(file: string): Promise<Buffer> {
  const existing = await readKey(file);
  if (existing !== undefined) return existing;
  ensurePrivateDir(dirname(file));
  const newKey = randomBytes(KEY_BYTES);
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  await writeFile(temporary, newKey, { mode: 0o600, flag: "wx" });
  try {
    await link(temporary, file);
    return newKey;
  } catch (error) {
    const winner = codeOf(error) === "EEXIST" ? await readKey(file) : undefined;
    if (winner !== undefined) return winner;
    // The file is damaged, or the file system does not support links.
    await rename(temporary, file);
    return (await readKey(file)) ?? newKey;
  } finally {
    await rm(temporary, { force: true });
  }
}
