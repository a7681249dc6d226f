import type { ReadDefinitions } from "./compare-servers.ts";
import {
  LOCKED_LISTS,
  type LockFile,
  type LockedItems,
  type LockedList,
  type LockedServer,
} from "./lock-file.ts";
import { updateLock } from "./lock-store.ts";
import { type ObservedServer, definitionsOf, lockedServer } from "./observed-server.ts";

/** Approves what was read of a server, or one of its items; returns whether the lock file changed. */
export function acceptDefinitions(
  read: ReadDefinitions,
  key: string,
  tool: string | undefined,
): Promise<boolean> {
  const observed = read.observed.get(key);
  if (observed === undefined) return Promise.resolve(false);
  const now = lockedServer(observed);
  const change = (lock: LockFile | undefined): LockFile => {
    const before = lock?.servers.get(key);
    const entry = tool === undefined ? now : withItem(before, now, tool);
    return { servers: new Map([...(lock?.servers ?? []), [key, entry]]) };
  };
  return updateLock(read.file, change, storable([observed], read.isStorable));
}

/** The approved entry, with one item as the server defines it now. */
function withItem(before: LockedServer | undefined, now: LockedServer, name: string): LockedServer {
  const items = LOCKED_LISTS.map((list): [LockedList, LockedItems] => {
    const known = new Map(before?.items[list]);
    const current = now.items[list].get(name);
    if (current === undefined) known.delete(name);
    else known.set(name, current);
    return [list, known];
  });
  const { source, instructions } = before ?? {};
  return {
    ...(source !== undefined && { source }),
    ...(instructions !== undefined && { instructions }),
    items: Object.fromEntries(items) as Record<LockedList, LockedItems>,
  };
}

/** The definitions of servers, without those that contain a secret. */
export function storable(
  servers: Iterable<ObservedServer>,
  isStorable: (text: string) => boolean,
): Map<string, string> {
  const all = [...servers].flatMap((server) => [...definitionsOf(server)]);
  return new Map(all.filter(([, text]) => isStorable(text)));
}
