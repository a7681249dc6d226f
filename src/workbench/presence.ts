import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

import { ensureOwnDir, ensurePrivateDir, stateDir } from "../config/directories.ts";
import { reasonOf } from "../errors.ts";
import type { WorkbenchStatus } from "./status.ts";
import type { Workbench } from "./workbench.ts";

export { statusOf } from "./status.ts";

/** How `mcp-workbench status` finds a running workbench. */
export interface Presence {
  readonly pid: number;
  readonly startedAt: number;
  readonly config: string | null;
  /** A socket, or a named pipe on Windows, that sends the status to each connection. */
  readonly socket: string;
}

/** The maximum length of a socket's path on most systems. */
const MAX_SOCKET_LENGTH = 100;

export function presenceFolder(): string {
  return join(stateDir(), "run");
}

/**
 * Makes this workbench visible to the user's other programs: a file in a private folder names a
 * socket in a private folder. If that fails, the workbench serves all the same.
 */
export function publishPresence(workbench: Workbench, status: () => WorkbenchStatus): () => void {
  try {
    const folder = presenceFolder();
    ensurePrivateDir(folder);
    const socket = socketPath(folder);
    const file = join(folder, `${process.pid}.json`);
    const server = createServer((client) => {
      client.on("error", () => {});
      client.end(JSON.stringify(status()));
    });
    server.on("error", (error) =>
      workbench.host.log.warn(`status is not available: ${reasonOf(error)}`),
    );
    rmSync(socket, { force: true });
    server.listen(socket, () => {
      const { startedAt, settings } = workbench;
      const presence: Presence = {
        pid: process.pid,
        startedAt,
        config: settings.file ?? null,
        socket,
      };
      writeFileSync(file, JSON.stringify(presence), { mode: 0o600 });
    });
    server.unref();
    const leave = (): void => {
      server.close();
      rmSync(file, { force: true });
      rmSync(socket, { force: true });
    };
    process.once("exit", leave);
    return leave;
  } catch (error) {
    workbench.host.log.warn(`status is not available: ${reasonOf(error)}`);
    return () => {};
  }
}

function socketPath(folder: string): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\mcp-workbench-${process.pid}`;
  const path = join(folder, `${process.pid}.sock`);
  if (path.length <= MAX_SOCKET_LENGTH) return path;
  const short = join(tmpdir(), `mcp-workbench-${userInfo().uid}`);
  ensureOwnDir(short);
  return join(short, `${process.pid}.sock`);
}
