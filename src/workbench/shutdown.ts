import type { Server } from "../servers/server.ts";
import type { ServerProcess } from "../servers/transport/channel.ts";

/** What is needed to stop a server. */
export interface StoppableServer {
  readonly state: Server["state"];
  readonly settings: { readonly timeouts: { readonly shutdownMs: number } };
  readonly connections: {
    readonly processes: readonly Pick<ServerProcess, "hurry">[];
    /** Whether a caller waits for an answer, or for an attempt to connect if that counts. */
    isBusy(startsCount: boolean): boolean;
  };
  close(): Promise<void>;
}

const POLL_MS = 20;
/** A server that answered at the last moment has this long to react to the end of its input. */
const LAST_ANSWER_MS = 250;

/**
 * Stops a server when its calls are answered. Answering and exiting at the end of input share one
 * `shutdownMs`, so that a call in flight does not delay SIGTERM and SIGKILL.
 */
export async function stopWhenIdle(server: StoppableServer): Promise<void> {
  const hurryAt = performance.now() + server.settings.timeouts.shutdownMs + LAST_ANSWER_MS;
  const leftMs = (): number => Math.max(0, hurryAt - performance.now());
  while (isBusy(server) && leftMs() > 0)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  const hurry = (): void => {
    for (const process of server.connections.processes) process.hurry();
  };
  const timer = setTimeout(hurry, leftMs());
  await server.close();
  clearTimeout(timer);
}

/** Whether a caller waits for a server. No answer can be expected of a download. */
export function isBusy({
  connections,
  state,
}: Pick<StoppableServer, "connections" | "state">): boolean {
  return connections.isBusy(state !== "downloading");
}

interface SurfaceWatcher {
  onSurfaceChanging?(): void;
  onSurfaceChanged?(): void;
}

/**
 * Ends all connections of a server and forgets its failures, so that the next use starts it again. Calls in
 * progress fail, and clients are notified that it may offer something else.
 */
export async function restartServer(
  { watchers }: { readonly watchers: ReadonlySet<SurfaceWatcher> },
  server: Pick<Server, "settings" | "reconfigure">,
): Promise<void> {
  for (const watcher of watchers) watcher.onSurfaceChanging?.();
  await server.reconfigure(server.settings, true);
  for (const watcher of watchers) watcher.onSurfaceChanged?.();
}
