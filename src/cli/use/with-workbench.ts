import type { WorkbenchSettings } from "../../config/types.ts";
import { Workbench } from "../../workbench/workbench.ts";
import type { Context } from "../command.ts";
import { type ClientHandlers, LocalClient } from "../../embed/local-client.ts";

export interface Use {
  readonly workbench: Workbench;
  readonly client: LocalClient;
}

export interface UseOptions extends ClientHandlers {
  /** Whether what servers show of themselves is kept for later; by default if they are in a file. */
  readonly cache?: boolean;
}

/**
 * Runs something with the servers of a configuration and ends them all afterwards, whatever
 * happened: at once if somebody presses Ctrl-C a second time.
 */
export async function withWorkbench<T>(
  { out, signal }: Pick<Context, "out" | "signal">,
  settings: WorkbenchSettings,
  work: (use: Use) => Promise<T>,
  { cache = settings.file !== undefined, ...handlers }: UseOptions = {},
): Promise<T> {
  signal.throwIfAborted();
  out.hide(settings.secrets);
  const workbench = new Workbench(quiet(settings), { cache });
  const client = new LocalClient(workbench, handlers);
  const kill = (): void => workbench.kill();
  process.once("exit", kill);
  try {
    return await untilAborted(signal, work({ workbench, client }));
  } finally {
    client.close();
    await workbench.close();
    process.off("exit", kill);
  }
}

/** A command tells by itself what goes wrong. */
function quiet(settings: WorkbenchSettings): WorkbenchSettings {
  return { ...settings, log: { ...settings.log, level: "silent" } };
}

/** The outcome of some work, or the reason of the signal if that comes first. */
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
    // Nobody waits for it any more; what goes wrong in it now is a consequence of the end.
    work.catch(() => {});
    aborted.catch(() => {});
  }
}

/** The same settings with servers that have to be connected within this time. */
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
