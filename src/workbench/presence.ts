import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import { ensurePrivateDir, stateDir } from "../config/directories.ts";
import { socketPath } from "../config/socket-path.ts";
import { reasonOf } from "../errors.ts";
import type { LinkChannel } from "./link-channel.ts";
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
  /** Where it gives links to its dashboard, if it can have one. */
  readonly dashboard?: LinkChannel | undefined;
}

export function presenceFolder(): string {
  return join(stateDir(), "run");
}

/**
 * Makes this workbench visible to the user's other programs: a file in a private folder names a
 * socket in a private folder. If that fails, the workbench serves all the same.
 */
export function publishPresence(
  workbench: Workbench,
  status: () => WorkbenchStatus,
  dashboard?: Promise<LinkChannel | undefined>,
): () => void {
  const onFailed = (error: unknown): void =>
    workbench.host.log.warn(`status is not available: ${reasonOf(error)}`);
  try {
    const folder = presenceFolder();
    ensurePrivateDir(folder);
    const socket = socketPath(folder, String(process.pid));
    const file = join(folder, `${process.pid}.json`);
    const server = createServer((client) => {
      client.on("error", () => {});
      client.end(JSON.stringify(status()));
    });
    server.on("error", onFailed);
    rmSync(socket, { force: true });
    const announce = (channel?: LinkChannel): void => {
      const { startedAt, settings } = workbench;
      const presence: Presence = {
        pid: process.pid,
        startedAt,
        config: settings.file ?? null,
        socket,
        ...(channel && { dashboard: channel }),
      };
      // A workbench that is ending must not announce itself again.
      if (!server.listening) return;
      try {
        writeFileSync(file, JSON.stringify(presence), { mode: 0o600 });
      } catch (error) {
        onFailed(error);
      }
    };
    server.listen(socket, () => {
      if (dashboard === undefined) announce();
      else void dashboard.then(announce);
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
    onFailed(error);
    return () => {};
  }
}
