import { lstatSync, readFileSync, statSync, type Stats } from "node:fs";

import { withOpenFile } from "../files/with-open-file.ts";
import { codeOf } from "../text/error-code.ts";

/** The name of the file with secrets in the folder of a configuration. */
export const SECRETS_FILE_NAME = "secrets.env";

const MAX_BYTES = 1024 * 1024;

export interface SecretsFileOptions {
  /** Whether it may be a symbolic link. A project could otherwise link to any file of the user. */
  readonly links: "follow" | "refuse";
}

/**
 * The text of a file with secrets, or undefined if there is none. Throws an error with the reason
 * and the remedy if the file belongs to another user or others can access it.
 */
export function readSecretsFile(file: string, { links }: SecretsFileOptions): string | undefined {
  const found = statOf(file, links);
  if (found === undefined) return undefined;
  refuse(file, found);
  return withOpenFile(file, links, (descriptor, opened) => {
    // Checked again in case the file was replaced.
    refuse(file, opened);
    if (opened.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 1024} KB`);
    return readFileSync(descriptor, "utf8");
  });
}

function statOf(file: string, links: SecretsFileOptions["links"]): Stats | undefined {
  try {
    const stat = links === "refuse" ? lstatSync : statSync;
    // Most configurations have no such file, and creating an error takes time.
    return stat(file, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

function refuse(file: string, stats: Stats): void {
  if (stats.isSymbolicLink())
    throw new Error('it is a symbolic link. Name the file it leads to in "envFiles"');
  if (!stats.isFile()) throw new Error("it is not a regular file");
  // Windows has no such permissions; there, the user's folders are private.
  if (process.getuid === undefined) return;
  if (stats.uid !== process.getuid()) throw new Error("it belongs to another user");
  const others = stats.mode & 0o077;
  if (others === 0) return;
  const what = (others & 0o022) === 0 ? "read" : "change";
  throw new Error(`other users of this machine can ${what} it. Run: chmod 600 ${file}`);
}
