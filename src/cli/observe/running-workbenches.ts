import { readFileSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

import { parseJson } from "../../text/json.ts";
import { isProcessRunning } from "../../files/is-running.ts";
import { type Presence, presenceFolder } from "../../workbench/presence.ts";
import type { WorkbenchStatus } from "../../workbench/status.ts";

const ANSWER_MS = 2000;

export interface RunningWorkbenches {
  readonly running: readonly WorkbenchStatus[];
  /** The processes of workbenches that do not answer. */
  readonly silent: readonly number[];
}

/** The status of all running workbenches of this user, including those that clients started. */
export async function runningWorkbenches(): Promise<RunningWorkbenches> {
  const found = await Promise.all(
    presences().map(async (presence) => ({ ...presence, status: await ask(presence) })),
  );
  const running = found.map(({ status }) => status).filter((status) => status !== undefined);
  const silent = found.filter(({ status, pid }) => status === undefined && isProcessRunning(pid));
  return {
    running: running.toSorted((a, b) => a.pid - b.pid),
    silent: silent.map(({ pid }) => pid),
  };
}

/** The workbenches that have announced themselves, the latest first. Some may have ended since. */
export function presences(): Presence[] {
  const folder = presenceFolder();
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
  const found = names.flatMap((name) => {
    try {
      return [JSON.parse(readFileSync(join(folder, name), "utf8")) as Presence];
    } catch {
      return [];
    }
  });
  return found.sort((a, b) => b.startedAt - a.startedAt);
}

/** Asks one workbench for its status; undefined if it does not answer. Removes the files of one that is gone. */
function ask(presence: Presence): Promise<WorkbenchStatus | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(presence.socket);
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error("no answer")));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("end", () => resolve(readStatus(Buffer.concat(chunks).toString("utf8"))));
    socket.on("error", () => {
      if (!isProcessRunning(presence.pid)) {
        rmSync(join(presenceFolder(), `${presence.pid}.json`), { force: true });
        const { socket: own, dashboard } = presence;
        if (process.platform !== "win32")
          for (const path of [own, ...(dashboard ? [dashboard.socket] : [])])
            rmSync(path, { force: true });
      }
      resolve(undefined);
    });
  });
}

/** A workbench that is shutting down, or out of file descriptors, closes the connection without an answer. */
function readStatus(text: string): WorkbenchStatus | undefined {
  return parseJson(text) as WorkbenchStatus | undefined;
}
