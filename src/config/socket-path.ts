import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

import { ensureOwnDir } from "./directories.ts";

/** The maximum length of a socket's path on most systems. */
const MAX_SOCKET_LENGTH = 100;

/**
 * The path of a socket in a private folder, or in another private folder if it would be too long. On
 * Windows it is the name of a pipe, which is in no folder.
 */
export function socketPath(folder: string, name: string): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\mcp-workbench-${name}`;
  const path = join(folder, `${name}.sock`);
  if (path.length <= MAX_SOCKET_LENGTH) return path;
  const short = join(tmpdir(), `mcp-workbench-${userInfo().uid}`);
  ensureOwnDir(short);
  return join(short, `${name}.sock`);
}
