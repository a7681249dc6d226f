import { spawn } from "node:child_process";
import { closeSync, constants, openSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import type { LocatedConfig } from "../../config/locate.ts";
import { NotShared, connectTo } from "../../serve/shared/connect.ts";
import type { SessionHello } from "../../serve/shared/hello.ts";
import {
  type Rendezvous,
  ensureSharedFolder,
  newerRecords,
  readRecord,
} from "../../serve/shared/rendezvous.ts";
import { claimStart } from "../../serve/shared/start-marker.ts";

/** How long the shared process may take to start; on a very busy machine that takes long. */
const START_MS = 60_000;
const FIRST_POLL_MS = 15;
const MAX_POLL_MS = 150;
/** A process that ends right after its start is not started again and again. */
const MAX_STARTS = 2;

/** A start by this process. */
interface Start {
  /** Why it failed; undefined as long as it may succeed. */
  failure: string | undefined;
}

/** Connects to the shared process, which is started if there is none. Rejects if that fails. */
export async function connectOrStart(
  place: Rendezvous,
  config: LocatedConfig,
  hello: SessionHello,
  metrics: string | undefined,
): Promise<Socket> {
  ensureSharedFolder();
  const deadline = performance.now() + START_MS;
  let start: Start | undefined;
  let starts = 0;
  try {
    for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 1.3, MAX_POLL_MS)) {
      const own = readRecord(place);
      for (const record of own === undefined ? newerRecords(place) : [own]) {
        const socket = await connectTo(record, hello).catch(rethrowFinal);
        if (socket !== undefined) return socket;
      }
      if (start?.failure !== undefined) throw new NotShared(start.failure, false);
      if (performance.now() > deadline) throw new NotShared("it does not start", false);
      if (start === undefined && starts < MAX_STARTS && claimStart(place)) {
        // Another start may have succeeded, and its marker gone, since the record was read.
        if (readRecord(place)?.socket === own?.socket) {
          starts++;
          start = startShared(place, config, metrics, () => (start = undefined));
        } else rmSync(place.marker, { force: true });
      }
      await delay(pollMs);
    }
  } finally {
    if (starts > 0) rmSync(place.marker, { force: true });
  }
}

function rethrowFinal(error: unknown): undefined {
  if (!(error instanceof NotShared) || !error.mayRetry) throw error;
}

/** `onDone` is called if it ends because another process was first. */
function startShared(
  { log }: Rendezvous,
  { file, fromCurrentFolder }: LocatedConfig,
  metrics: string | undefined,
  onDone: () => void,
): Start {
  const start: Start = { failure: undefined };
  const stderr = openLog(log);
  const folder = fromCurrentFolder ? "current-folder" : "";
  const args = ["__shared", file, folder, ...(metrics === undefined ? [] : [metrics])];
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? "", ...args], {
    detached: true,
    stdio: ["ignore", "ignore", stderr],
    windowsHide: true,
  });
  closeSync(stderr);
  child.once("error", (error) => (start.failure = error.message));
  child.once("exit", (code, signal) => {
    if (code === 0) onDone();
    else start.failure = `it ended with ${signal ?? `code ${code}`}; see ${log}`;
  });
  child.unref();
  return start;
}

/** What a former process wrote is kept; the new one shortens it when it is too long. */
function openLog(log: string): number {
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  // Opening a pipe would wait for a reader.
  return openSync(log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600);
}
