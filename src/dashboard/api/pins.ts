import { existsSync } from "node:fs";

import { lockFileOf } from "../../config/lock-path.ts";
import { serverKey } from "../../config/server-key.ts";
import { reasonOf } from "../../errors.ts";
import type { HashCache } from "../../pins/approved-definitions.ts";
import { instructionsHash } from "../../pins/definition-hash.ts";
import { LOCKED_LISTS, type LockFile, type LockedServer } from "../../pins/lock-file.ts";
import { readLock } from "../../pins/lock-store.ts";
import { hasText, itemsById } from "../../pins/observed-server.ts";
import { serversOf } from "../../serve/client-view.ts";
import type { Server } from "../../servers/server.ts";
import { Slices } from "../../servers/slices.ts";
import type { DashboardContext } from "../context.ts";
import type { PinOverview, PinnedServer } from "../contract.ts";

const MAX_NAMED = 100;

/** The approved definitions, and which servers differ from them as far as is known. */
export async function listPins(context: DashboardContext): Promise<PinOverview> {
  const { settings } = context.workbench;
  const file = settings.file === undefined ? null : lockFileOf(settings.file);
  const hasFile = file !== null && existsSync(file);
  const mode = settings.pins ?? (hasFile ? "warn" : "off");
  let lock: LockFile | undefined;
  let problem: string | null = null;
  try {
    lock = hasFile ? await readLock(file) : undefined;
  } catch (error) {
    problem = reasonOf(error);
  }
  const slices = new Slices();
  slices.begin();
  const servers: PinnedServer[] = [];
  for (const server of serversOf(context.view)) {
    servers.push(await pinnedServer(context, server, lock, slices));
  }
  return { mode, file, hasFile, problem, servers: [...servers, ...removed(context, lock)] };
}

async function pinnedServer(
  { workbench, hashes }: DashboardContext,
  server: Server,
  lock: LockFile | undefined,
  slices: Slices,
): Promise<PinnedServer> {
  const { place } = server;
  const entry = lock?.servers.get(serverKey(place.toolbox, place.server));
  const approved = entry === undefined ? 0 : countOf(entry);
  if (entry === undefined) return { ...place, state: "new", approved, changed: [] };
  const known = await workbench.catalogues.load(server);
  if (known === undefined) return { ...place, state: "unknown", approved, changed: [] };
  const { rawTools } = known.catalogue;
  const changed: string[] = [];
  for (const [name, item] of itemsById("tools", rawTools)) {
    if (isChanged(entry, name, hashes.of("tools", item))) changed.push(name);
    if (slices.due) await slices.rest();
  }
  const { instructions } = known;
  const isSame =
    changed.length === 0 &&
    (!hasText(instructions) || entry.instructions === instructionsHash(instructions));
  const state = isSame ? "same" : "changed";
  return { ...place, state, approved, changed: changed.slice(0, MAX_NAMED) };
}

function isChanged(entry: LockedServer, name: string, now: ReturnType<HashCache["of"]>): boolean {
  return entry.items.tools.get(name)?.hash !== now.hash;
}

function countOf({ items }: LockedServer): number {
  return LOCKED_LISTS.reduce((sum, list) => sum + items[list].size, 0);
}

/** Servers in the lock file that are no longer configured. */
function removed({ workbench }: DashboardContext, lock: LockFile | undefined): PinnedServer[] {
  return [...(lock?.servers ?? [])].flatMap(([key, entry]) => {
    const [toolbox = "", server = ""] = key.split("/", 2);
    if (workbench.toolboxes.get(toolbox)?.servers.has(server)) return [];
    return [{ toolbox, server, state: "removed", approved: countOf(entry), changed: [] }];
  });
}
