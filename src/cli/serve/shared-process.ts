import { createHash, randomUUID } from "node:crypto";
import { rmSync } from "node:fs";

import { type FoundConfig, parseConfig, readConfig } from "../../config/load.ts";
import { socketPath } from "../../config/socket-path.ts";
import { LOCK_TIMING, takeLock } from "../../credentials/file-lock.ts";
import { EXIT } from "../../errors.ts";
import { cutLog } from "../../files/cut-log.ts";
import { isListening } from "../../serve/shared/connect.ts";
import { launchOf } from "../../serve/shared/launch.ts";
import { newSecret } from "../../serve/shared/proof.ts";
import {
  type Rendezvous,
  type SharedRecord,
  ensureSharedFolder,
  readRecord,
  removeRecord,
  rendezvousOf,
  writeRecord,
} from "../../serve/shared/rendezvous.ts";
import { VERSION } from "../../version.ts";
import { drainOlder, findNewer } from "./drain-older.ts";
import { SharedWorkbench } from "./shared-workbench.ts";

const STDERR = 2;

/**
 * The process that clients share. It is started by one of them and ends when none has been
 * connected for a while. If there already is one, it ends at once.
 */
export async function runShared([file = "", folder, metrics]: readonly string[]): Promise<number> {
  const place = rendezvousOf(file);
  const config = await readConfig({ file, fromCurrentFolder: folder === "current-folder" });
  const launch = launchOf(config.text);
  // The folder of a client may be removed while others go on.
  ensureSharedFolder();
  process.chdir(place.folder);
  const settings = await parseConfig(config.text, config);
  const shared = new SharedWorkbench(config, settings, { launch, place, metrics });
  const record = newRecord(config, place);
  const isFirst = await listenIfFirst(place, record, shared);
  if (!isFirst) return EXIT.ok;
  process.once("exit", () => removeRecord(place, record));
  limitLog(place, shared);
  void drainOlder(place);
  const newer = await findNewer(place);
  if (newer !== undefined) shared.drain(newer);
  await shared.run();
  process.exit(EXIT.ok);
}

/** Its standard error is a file, which must not grow without end. */
function limitLog({ log }: Rendezvous, { logLines }: SharedWorkbench): void {
  const cut = (): void => {
    try {
      cutLog(log, STDERR);
    } catch {
      // It was started by hand, with a closed standard error.
    }
  };
  cut();
  logLines.add(cut);
}

function newRecord({ file }: FoundConfig, { folder, key }: Rendezvous): SharedRecord {
  // Different for every process: the path of a former one may still be in use by its clients.
  const name = createHash("sha256").update(randomUUID()).digest("hex").slice(0, 16);
  return {
    key,
    pid: process.pid,
    version: VERSION,
    config: file,
    socket: socketPath(folder, name),
    secret: newSecret(),
  };
}

/** Of several processes that start at once, one listens. */
async function listenIfFirst(
  place: Rendezvous,
  record: SharedRecord,
  shared: SharedWorkbench,
): Promise<boolean> {
  const lock = await takeLock(place.lock, LOCK_TIMING, (reason) => new Error(reason));
  try {
    const known = readRecord(place);
    if (known !== undefined) {
      if (await isListening(known)) return false;
      removeRecord(place, known);
    }
    await shared.listen(record);
    try {
      writeRecord(place, record);
    } catch (error) {
      // No client would find this process, and it would never end.
      shared.stopListening();
      throw error;
    }
    return true;
  } finally {
    rmSync(place.marker, { force: true });
    await lock.release();
  }
}
