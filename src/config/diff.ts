import { isDeepStrictEqual } from "node:util";
import { serverKey } from "./server-key.ts";
import type { SecretText, ServerSettings, ToolboxSettings, WorkbenchSettings } from "./types.ts";

/** What a new configuration changes. Servers are named `toolbox/server`. */
export interface SettingsDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly unchanged: readonly string[];
  /** Those of `changed` whose process or connection has to be replaced. */
  readonly restart: readonly string[];
  /** Whether clients see a difference: in the toolboxes, their descriptions or the tools they show. */
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
    // This comparison ignores the order of keys.
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

/** What changed and is not applied while the workbench runs, in words. */
export function waitForNextStart(old: WorkbenchSettings, next: WorkbenchSettings): string[] {
  const hasOtherTls = (old.http.tls === undefined) !== (next.http.tls === undefined);
  const hasOtherCluster = !isDeepStrictEqual(old.cluster, next.cluster);
  return [
    ...(hasOtherTls ? ["http.tls was added or removed"] : []),
    ...(hasOtherCluster ? ["cluster was changed"] : []),
  ];
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

/** The settings that a running server was started with. All others take effect with the next call. */
function connectionOf(server: ServerSettings): unknown {
  const { transport, secretTexts, protocol, isolation, disabled, unavailable } = server;
  const { inheritEnv, inherited, placement } = server;
  return {
    transport,
    secretTexts: secretTexts.map(originOf),
    protocol,
    isolation,
    placement,
    inheritEnv,
    inherited,
    disabled,
    startable: unavailable === undefined,
  };
}

/** Where a value comes from. How long that may take, and how long it is kept, do not change it. */
function originOf({ at, parts }: SecretText): unknown {
  const origins = parts.map((part) => {
    if (typeof part === "string" || part.kind !== "command") return part;
    const { timeoutMs: _timeoutMs, cacheMs: _cacheMs, ...run } = part.run;
    return { ...part, run };
  });
  return { at, parts: origins };
}

/**
 * The settings that instructions and tool lists are built from. The order of toolboxes and servers
 * matters, because clients see them in this order.
 */
function surfaceOf({
  toolMode,
  policy,
  pins,
  readTool,
  scripts,
  toolboxes,
}: WorkbenchSettings): unknown {
  return [
    toolMode,
    policy,
    pins,
    readTool,
    scripts.enabled,
    ...[...toolboxes.values()].map(toolboxSurface),
  ];
}

function toolboxSurface(toolbox: ToolboxSettings): unknown {
  const { name, description, keywords, policy: own, servers } = toolbox;
  const shown = [...servers.values()]
    .filter(({ disabled }) => !disabled)
    .map(({ name: server, toolFilters, overrides, annotations, policy }) => {
      return { server, toolFilters, overrides, annotations, policy };
    });
  return { name, description, keywords, policy: own, shown };
}
