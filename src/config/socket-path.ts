import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

import { workbenchError } from "../errors.ts";
import { ensureOwnDir } from "./directories.ts";

/** The maximum length of a socket's path on most systems. A longer one would be cut off without an error. */
const MAX_SOCKET_BYTES = 100;

/**
 * The path of a socket in a private folder, or in another private folder if it would be too long. On
 * Windows it is the name of a pipe, which is in no folder.
 */
export function socketPath(folder: string, name: string): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\mcp-workbench-${name}`;
  const path = join(folder, `${name}.sock`);
  if (isShort(path)) return path;
  const other = join(tmpdir(), `mcp-workbench-${userInfo().uid}`);
  const shorter = join(other, `${name}.sock`);
  if (!isShort(shorter))
    throw workbenchError("FOLDER_UNUSABLE", {
      path: other,
      reason: "its path is too long for a socket",
    });
  ensureOwnDir(other);
  return shorter;
}

function isShort(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_SOCKET_BYTES;
}
