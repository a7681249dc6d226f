import { lockFileOf } from "../../config/lock-path.ts";
import { serverKey } from "../../config/server-key.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { isWorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import type { ReadDefinitions } from "../../pins/compare-servers.ts";
import { readLock } from "../../pins/lock-store.ts";
import type { ObservedServer } from "../../pins/observed-server.ts";
import { readServer } from "../../pins/read-server.ts";
import { serversIn } from "../../workbench/scopes.ts";
import { inParallel } from "../../workbench/parallel.ts";
import type { Context } from "../core/command.ts";
import { Progress } from "../output/progress.ts";
import { labelOf, startsAtOnce } from "../use/connect.ts";
import { type ToolPath, serversAt } from "../use/target.ts";
import { withWorkbench } from "../use/with-workbench.ts";

/** A server that could not be read. */
export interface UnreadServer {
  readonly toolbox: string;
  readonly server: string;
  readonly reason: string;
}

export interface ReadServers extends ReadDefinitions {
  readonly failed: readonly UnreadServer[];
}

/** Starts the servers at a path, a few at a time, and reads what they define and what is approved. */
export async function readServers(
  context: Context,
  settings: WorkbenchSettings,
  path: ToolPath,
): Promise<ReadServers> {
  const { out, signal } = context;
  if (settings.file === undefined)
    throw workbenchError("USAGE", { reason: "A lock file needs a configuration file" });
  const file = lockFileOf(settings.file);
  const lock = await readLock(file);
  const observed = new Map<string, ObservedServer>();
  const failed: UnreadServer[] = [];
  // What is not approved has to be read, too.
  const unpinned: WorkbenchSettings = { ...settings, pins: "off" };
  return withWorkbench(context, unpinned, async ({ workbench }) => {
    const servers = serversAt(workbench, path);
    const progress = new Progress(out, { total: servers.length });
    await inParallel(servers, startsAtOnce(), async (server) => {
      if (signal.aborted) return;
      const step = progress.start(`reading ${labelOf(server)}`);
      try {
        observed.set(labelOf(server), await readServer(server));
      } catch (error) {
        const reason = (isWorkbenchError(error) ? error.reason : undefined) ?? reasonOf(error);
        failed.push({ ...server.place, reason });
      }
      step.end();
    });
    signal.throwIfAborted();
    const configured = new Set(
      serversIn(settings.toolboxes).map(({ toolbox, name }) => serverKey(toolbox, name)),
    );
    const unconfigured = [...(lock?.servers.keys() ?? [])].filter((key) => !configured.has(key));
    const order = servers.map(labelOf);
    const byOrder = (a: string, b: string): number => order.indexOf(a) - order.indexOf(b);
    return {
      file,
      lock,
      observed: new Map([...observed].sort(([a], [b]) => byOrder(a, b))),
      failed: failed.sort((a, b) => byOrder(keyOf(a), keyOf(b))),
      unconfigured: path.toolbox === undefined ? unconfigured : [],
      isStorable: (text) => workbench.host.redact(text) === text,
    };
  });
}

function keyOf({ toolbox, server }: UnreadServer): string {
  return serverKey(toolbox, server);
}
