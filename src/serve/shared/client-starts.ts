import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import { INHERITED } from "../../config/inherited-variables.ts";
import { serverKey } from "../../config/server-key.ts";
import type { ServerSettings, ToolboxSettings, WorkbenchSettings } from "../../config/types.ts";
import type { ServerStart } from "../../protocol/client-profile.ts";
import type { Launch } from "./launch.ts";

/** Makes no difference to a program without a terminal, but differs between terminals. */
const TERMINAL = "TERM";

/** The settings of a configuration in which programs inherit from a client, not from this process. */
export function settingsFor(settings: WorkbenchSettings, launch: Launch): WorkbenchSettings {
  const toolboxes = Array.from(settings.toolboxes, ([name, toolbox]) => {
    const servers = Array.from(
      toolbox.servers,
      ([key, server]) => [key, inheriting(server, launch)] as const,
    );
    return [name, { ...toolbox, servers: new Map(servers) }] as const;
  });
  return { ...settings, toolboxes: new Map(toolboxes) };
}

function inheriting(server: ServerSettings, launch: Launch): ServerSettings {
  const { transport, inheritEnv } = server;
  if (transport.kind !== "stdio") return server;
  const env: Record<string, string> = {};
  for (const name of [...INHERITED, ...inheritEnv]) {
    const isShared = name === TERMINAL && !inheritEnv.includes(TERMINAL);
    const value = isShared ? process.env[TERMINAL] : launch.env[name];
    if (value !== undefined) env[name] = value;
  }
  return { ...server, inherited: { cwd: transport.cwd ?? launch.cwd, env } };
}

/**
 * How servers are started for a client, where that differs from the workbench itself; by
 * `serverKey`. Undefined if the settings differ in anything else, so that it cannot be shared.
 */
export function startsFor(
  shared: WorkbenchSettings,
  own: WorkbenchSettings,
): ReadonlyMap<string, ServerStart> | undefined {
  if (!isDeepStrictEqual(commonOf(shared), commonOf(own))) return undefined;
  const starts = new Map<string, ServerStart>();
  for (const [box, { servers }] of own.toolboxes)
    for (const [name, settings] of servers) {
      const usual = shared.toolboxes.get(box)?.servers.get(name);
      const start = startOf(settings);
      if (usual === undefined || isDeepStrictEqual(startOf(usual), start)) continue;
      const hash = createHash("sha256").update(JSON.stringify(start)).digest("hex");
      starts.set(serverKey(box, name), { key: ` ${hash}`, settings });
    }
  return starts;
}

/** What a program is started with. Remote servers have nothing of the kind. */
function startOf({ transport, secretTexts, inherited, unavailable }: ServerSettings): unknown {
  if (transport.kind !== "stdio") return undefined;
  return { transport, secretTexts, inherited, unavailable };
}

function commonOf(settings: WorkbenchSettings): unknown {
  const { toolboxes, secrets: _secrets, warnings: _warnings, ...others } = settings;
  return [others, ...Array.from(toolboxes.values(), commonToolbox)];
}

function commonToolbox({ servers, ...others }: ToolboxSettings): unknown {
  const common = Array.from(servers.values(), (server) => {
    if (server.transport.kind !== "stdio") return server;
    const { transport, secretTexts: _texts, inherited: _own, unavailable: _why, ...same } = server;
    return { ...same, kind: transport.kind };
  });
  return [others, common];
}
