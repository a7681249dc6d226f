import { spawn } from "node:child_process";
import { closeSync, constants, lstatSync, openSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import { ensurePrivateDir } from "../../config/directories.ts";
import type { LocatedConfig } from "../../config/locate.ts";
import { isProcessRunning } from "../../files/is-running.ts";
import { readPrivateFile } from "../../files/read-private-file.ts";
import { NotShared, connectTo } from "../../serve/shared/connect.ts";
import type { SessionHello } from "../../serve/shared/hello.ts";
import { type Rendezvous, newerRecords, readRecord } from "../../serve/shared/rendezvous.ts";
import { codeOf } from "../../text/error-code.ts";

/** How long the shared process may take to start; on a very busy machine that takes long. */
const START_MS = 60_000;
const FIRST_POLL_MS = 15;
const MAX_POLL_MS = 150;
/** A process that ends right after its start is not started again and again. */
const MAX_STARTS = 2;
const MAX_LOG_BYTES = 1024 * 1024;
/** A marker without a process is being written, or could not be written. */
const UNNAMED_MS = 2000;

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
        starts++;
        start = startShared(place, config, metrics, () => (start = undefined));
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

/** False if another client is starting the process. Only advice: the process itself makes sure that it is the only one. */
function claimStart({ folder, marker }: Rendezvous): boolean {
  ensurePrivateDir(folder);
  for (let tries = 0; tries < 2; tries++)
    try {
      writeFileSync(marker, String(process.pid), { flag: "wx", mode: 0o600 });
      return true;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      if (isBeingStarted(marker)) return false;
      rmSync(marker, { force: true });
    }
  return false;
}

function isBeingStarted(marker: string): boolean {
  const found = lstatSync(marker, { throwIfNoEntry: false });
  const text = readPrivateFile(marker);
  if (found === undefined || text === undefined) return false;
  const pid = Number(text);
  const ageMs = Math.abs(Date.now() - found.mtimeMs);
  if (pid === 0) return ageMs < UNNAMED_MS;
  return ageMs < START_MS && pid !== process.pid && isProcessRunning(pid);
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

/** What a former process wrote is kept, but not without end. */
function openLog(log: string): number {
  const size = lstatSync(log, { throwIfNoEntry: false })?.size ?? 0;
  const { O_WRONLY, O_CREAT, O_APPEND, O_TRUNC, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  // Opening a pipe would wait for a reader.
  const flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK;
  return openSync(log, size > MAX_LOG_BYTES ? flags | O_TRUNC : flags, 0o600);
}
