import type { WorkbenchSettings } from "../../config/types.ts";
import { serversIn } from "../../workbench/scopes.ts";
import { Workbench } from "../../workbench/workbench.ts";
import type { Context } from "../core/command.ts";
import { type ClientHandlers, LocalClient } from "../../embed/local-client.ts";
import { ReplicaUse } from "./replica-use.ts";

export interface Use {
  readonly workbench: Workbench;
  readonly client: LocalClient;
}

export interface UseOptions extends ClientHandlers {
  /** Whether to cache tool lists; by default if the configuration is a file. */
  readonly cache?: boolean;
}

/**
 * Runs some work with the servers of a configuration and always stops them afterwards: within a
 * second after Ctrl-C, immediately after a second one.
 */
export async function withWorkbench<T>(
  { out, signal, finishFirst }: Pick<Context, "out" | "signal" | "finishFirst">,
  settings: WorkbenchSettings,
  work: (use: Use) => Promise<T>,
  { cache = settings.file !== undefined, ...handlers }: UseOptions = {},
): Promise<T> {
  signal.throwIfAborted();
  out.hide(settings.secrets);
  const replicas = new ReplicaUse(settings.cluster);
  const workbench = new Workbench(quiet(settings), {
    cache,
    placing: settings.cluster && (() => replicas.link()),
    waitsForDownloads: true,
    onSecrets: (values) => out.hide(values),
  });
  const client = new LocalClient(workbench, handlers);
  finishFirst(() => workbench.host.close());
  const kill = (): void => workbench.kill();
  process.once("exit", kill);
  try {
    return await untilAborted(
      signal,
      // What the policy hides is hidden from the first line on.
      Promise.resolve(workbench.pipeline.preparing).then(() => work({ workbench, client })),
    );
  } finally {
    client.close();
    const closed = workbench.close();
    if (signal.aborted) stopSoon(workbench);
    await closed;
    await replicas.close();
    process.off("exit", kill);
  }
}

/** The user waits: servers get less time than their settings say to exit at the end of their input. */
const EXIT_MS = 150;
/** The same after SIGTERM, counted from the beginning. */
const TERMINATE_MS = 600;

/** Ends the servers of an interrupted command within a second. */
function stopSoon(workbench: Workbench): void {
  const hurry = (): void => {
    for (const { connections } of serversIn(workbench.toolboxes))
      for (const process of connections.processes) process.hurry();
  };
  setTimeout(hurry, EXIT_MS).unref();
  setTimeout(() => workbench.kill(), TERMINATE_MS).unref();
}

/** Commands report problems themselves, so nothing is logged. */
function quiet(settings: WorkbenchSettings): WorkbenchSettings {
  return { ...settings, log: { ...settings.log, level: "silent" } };
}

/** The outcome of some work, or the signal's reason if it is aborted first. */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener("abort", stop);
    // No caller waits for it any longer; a late failure follows from the shutdown.
    work.catch(() => {});
    aborted.catch(() => {});
  }
}

/** The same settings with a shorter time limit for connecting. */
export function withDeadline(settings: WorkbenchSettings, connectMs: number): WorkbenchSettings {
  const toolboxes = Array.from(settings.toolboxes, ([name, toolbox]) => {
    const servers = Array.from(toolbox.servers, ([key, server]) => {
      const timeouts = {
        ...server.timeouts,
        connectMs: Math.min(connectMs, server.timeouts.connectMs),
      };
      return [key, { ...server, timeouts }] as const;
    });
    return [name, { ...toolbox, servers: new Map(servers) }] as const;
  });
  return { ...settings, toolboxes: new Map(toolboxes) };
}
