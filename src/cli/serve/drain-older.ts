import { connectTo, isListening } from "../../serve/shared/connect.ts";
import {
  type Rendezvous,
  allRecords,
  isOlder,
  isSameConfig,
  newerRecords,
} from "../../serve/shared/rendezvous.ts";
import { VERSION } from "../../version.ts";

/** Asks the shared processes of older versions for the same configuration to pass their clients on. */
export async function drainOlder({ key }: Rendezvous): Promise<void> {
  for (const record of allRecords())
    if (isSameConfig(record.key, key) && isOlder(record.version, VERSION))
      await connectTo(record, { op: "drain", to: key }).then(
        (socket) => socket.destroy(),
        // It is gone, or speaks another protocol; then it ends when it is idle.
        () => {},
      );
}

/**
 * The key of a newer version that serves the same configuration. It may have looked for older ones
 * before this one was there, so both have to look after they have written their records.
 */
export async function findNewer(place: Rendezvous): Promise<string | undefined> {
  for (const record of newerRecords(place)) if (await isListening(record)) return record.key;
  return undefined;
}
