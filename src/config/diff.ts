import { isDeepStrictEqual } from "node:util";
import { serverKey } from "./missing.ts";
import type { ServerSettings, ToolboxSettings, WorkbenchSettings } from "./types.ts";

/** What a new configuration changes. Servers are named `toolbox/server`. */
export interface SettingsDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly unchanged: readonly string[];
  /** Those of `changed` whose process or connection has to be replaced to make the change real. */
  readonly restart: readonly string[];
  /** Whether clients see anything different: the toolboxes, their purpose, the tools they may show. */
  readonly surfaceChanged: boolean;
}

export function diffSettings(old: WorkbenchSettings, next: WorkbenchSettings): SettingsDiff {
  const before = serversOf(old);
  const after = serversOf(next);
  const added = [...after.keys()].filter((key) => !before.has(key));
  const removed = [...before.keys()].filter((key) => !after.has(key));
  const changed: string[] = [];
  const unchanged: string[] = [];
  const restart: string[] = [];
  for (const [key, server] of after) {
    const previous = before.get(key);
    if (previous === undefined) continue;
    // Equality of objects does not depend on the order of their keys, so neither does the answer.
    if (isDeepStrictEqual(previous, server)) {
      unchanged.push(key);
      continue;
    }
    changed.push(key);
    if (!isDeepStrictEqual(connectionOf(previous), connectionOf(server))) restart.push(key);
  }
  const surfaceChanged = !isDeepStrictEqual(surfaceOf(old), surfaceOf(next));
  return { added, removed, changed, unchanged, restart, surfaceChanged };
}

function serversOf(settings: WorkbenchSettings): Map<string, ServerSettings> {
  const servers = new Map<string, ServerSettings>();
  for (const toolbox of settings.toolboxes.values()) {
    for (const server of toolbox.servers.values()) {
      servers.set(serverKey(toolbox.name, server.name), server);
    }
  }
  return servers;
}

/** What a running server was started with. Everything else takes effect with the next call. */
function connectionOf(server: ServerSettings): unknown {
  const { transport, protocol, isolation, inheritEnv, disabled, unavailable } = server;
  return {
    transport,
    protocol,
    isolation,
    inheritEnv,
    disabled,
    startable: unavailable === undefined,
  };
}

/**
 * What instructions and tool lists are made of. The order of toolboxes and servers counts, because
 * it is the order in which clients read them.
 */
function surfaceOf({ toolMode, toolboxes }: WorkbenchSettings): unknown {
  return [toolMode, ...[...toolboxes.values()].map(toolboxSurface)];
}

function toolboxSurface({ name, description, keywords, servers }: ToolboxSettings): unknown {
  const shown = [...servers.values()]
    .filter(({ disabled }) => !disabled)
    .map(({ name: server, toolFilters, overrides }) => ({ server, toolFilters, overrides }));
  return { name, description, keywords, shown };
}
