import { readSync, type Stats, statSync } from "node:fs";

import { isWithin, realPathOf } from "../files/real-path.ts";
import { withOpenFile } from "../files/with-open-file.ts";
import { codeOf } from "../text/error-code.ts";

/** The content of a file that a configuration refers to as `${file:PATH}`. */
export interface SecretFile {
  /** Without the last line break. */
  readonly value: string;
  /** Who else may know the secret, and what to do about it. */
  readonly warning: string | undefined;
}

export const MAX_SECRET_BYTES = 64 * 1024;

/**
 * Reads the file; undefined if it does not exist. `within`: the real path of the file must be in this
 * folder. Throws an error with the reason, worded to follow the path.
 */
export function readSecretFile(path: string, within?: string): SecretFile | undefined {
  // The path that is checked is the one that is opened.
  const file = realPathOf(path);
  if (within !== undefined && !isWithin(file, within))
    throw new Error(
      "it is outside of the folder of the configuration, which other users can change. If you trust the configuration: mcp-workbench trust --config FILE",
    );
  try {
    // Opening a device may have effects.
    refuseOthers(statSync(file));
    return withOpenFile(file, "refuse", (descriptor, found) => {
      refuseOthers(found);
      return { value: textOf(contentOf(descriptor)), warning: exposureOf(file, found) };
    });
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (code === "EACCES") throw new Error("permission denied", { cause: error });
    throw error;
  }
}

/** Who else can read a file with a secret; undefined if it is private, or managed by root. */
export function exposureOf(
  file: string,
  { uid, mode }: Pick<Stats, "uid" | "mode">,
): string | undefined {
  // Windows has no such permissions.
  if (process.getuid === undefined || uid === 0) return undefined;
  if (uid !== process.getuid()) return `${file} belongs to another user`;
  if ((mode & 0o077) === 0) return undefined;
  return `other users of this machine can access ${file}. Run: chmod 600 ${file}`;
}

/** A secret that a file contains or a program prints, without its last line break. */
export function textOf(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Error("it is not text in UTF-8", { cause: error });
  }
  return text.replace(/\r?\n$/, "");
}

function refuseOthers(found: Stats): void {
  if (!found.isFile()) throw new Error("it is not a regular file");
}

/** Reads no more than a secret may have: the size of some files is not known in advance. */
function contentOf(descriptor: number): Uint8Array {
  const bytes = Buffer.alloc(MAX_SECRET_BYTES + 1);
  let length = 0;
  for (;;) {
    const read = readSync(descriptor, bytes, length, bytes.length - length, null);
    length += read;
    if (length > MAX_SECRET_BYTES)
      throw new Error(`it is larger than ${MAX_SECRET_BYTES / 1024} KB`);
    if (read === 0) return bytes.subarray(0, length);
  }
}
