import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensurePrivateDir } from "../config/directories.ts";
import { workbenchError } from "../errors.ts";
import { readPrivateFile } from "../files/read-private-file.ts";
import { codeOf } from "../text/error-code.ts";

const FILE = "hash-key";
const KEY = /^[0-9a-f]{64}$/;

/**
 * The key of argument hashes, created when it is first needed. Without a key, short values could be
 * found by trying them.
 */
export function hashKey(folder: string): string {
  const file = join(folder, FILE);
  ensurePrivateDir(folder);
  try {
    writeFileSync(file, randomBytes(32).toString("hex"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  const key = readPrivateFile(file) ?? "";
  if (KEY.test(key)) return key;
  const reason = "it is not a key of 64 hexadecimal digits that only you can write";
  throw workbenchError("FILE_INVALID", { file, at: "", reason }, "Delete it to get a new key");
}
