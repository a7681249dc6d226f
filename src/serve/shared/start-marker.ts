import { lstatSync, rmSync, writeFileSync } from "node:fs";

import { isProcessRunning } from "../../files/is-running.ts";
import { readPrivateFile } from "../../files/read-private-file.ts";
import { codeOf } from "../../text/error-code.ts";
import { type Rendezvous, ensureSharedFolder } from "./rendezvous.ts";

/**
 * How long others wait for a client that starts the process. After that it may be suspended, or its
 * id may belong to another process by now, as after the restart of a container.
 */
const MAX_MARKER_MS = 10_000;
/** A marker without a process is being written, or could not be written. */
const UNNAMED_MS = 2000;

/** False if another client is starting the process. Only advice: the process itself makes sure that it is the only one. */
export function claimStart({ marker }: Pick<Rendezvous, "marker">): boolean {
  ensureSharedFolder();
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
  return ageMs < MAX_MARKER_MS && pid !== process.pid && isProcessRunning(pid);
}
