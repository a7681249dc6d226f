import { type Difference, differences } from "./differences.ts";
import type { LockFile } from "./lock-file.ts";
import { type Definitions, storedDefinitions } from "./lock-store.ts";
import type { ObservedServer } from "./observed-server.ts";

/** Servers as they describe themselves now, and what is approved. */
export interface ReadDefinitions {
  /** The lock file. */
  readonly file: string;
  /** Its content; undefined if there is none. */
  readonly lock: LockFile | undefined;
  /** By `toolbox/server`, in the order of the configuration. */
  readonly observed: ReadonlyMap<string, ObservedServer>;
  /** Servers in the lock file that the configuration no longer has; none if a single server is read. */
  readonly unconfigured: readonly string[];
  /** Whether a text may be stored: it contains none of the secrets that servers got. */
  readonly isStorable: (text: string) => boolean;
}

/** How one server differs from what was approved. */
export interface ComparedServer {
  /** `toolbox/server` */
  readonly key: string;
  readonly differences: readonly Difference[];
}

/** Compares all servers that were read with the lock file. */
export function compareServers({
  file,
  lock,
  observed,
  unconfigured,
}: ReadDefinitions): ComparedServer[] {
  const stored = storedDefinitions(file);
  const compared = Array.from(observed, ([key, server]) => ({
    key,
    differences: compareServer(key, server, lock, observed, stored),
  }));
  return [...compared, ...unconfigured.map((key) => ({ key, differences: [NOT_CONFIGURED] }))];
}

const NOT_CONFIGURED: Difference = {
  what: "server",
  name: "",
  change: "removed",
  severity: "cosmetic",
  reasons: ["it is in the lock file and no longer configured. To remove it: mcp-workbench lock"],
};

function compareServer(
  key: string,
  server: ObservedServer,
  lock: LockFile | undefined,
  all: ReadonlyMap<string, ObservedServer>,
  stored: Definitions,
): Difference[] {
  return differences(lock?.servers.get(key), server, {
    definitionOf: (hash) => stored.get(hash),
    foreignTools: toolsOfOthers(key, all, lock),
  });
}

/** The names of the tools of the other servers, as far as they are known. */
export function toolsOfOthers(
  key: string,
  observed: ReadonlyMap<string, ObservedServer>,
  lock: LockFile | undefined,
): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [other, { items }] of [...observed, ...(lock?.servers ?? [])])
    if (other !== key) for (const name of items.tools.keys()) names.add(name);
  return names;
}
