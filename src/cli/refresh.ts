import { loadConfig } from "../config/load.ts";
import type { WorkbenchSettings } from "../config/types.ts";
import { EXIT, reasonOf } from "../errors.ts";
import type { Server } from "../servers/server.ts";
import { inParallel } from "../workbench/parallel.ts";
import type { Workbench } from "../workbench/workbench.ts";
import type { Context } from "./command.ts";
import { safeLine } from "./output/safe-text.ts";
import { withWorkbench } from "./use/with-workbench.ts";

/** What became of one server. */
export interface RefreshedServer {
  readonly toolbox: string;
  readonly server: string;
  /** How many tools clients see; null if it could not be connected. */
  readonly tools: number | null;
  /** Whether they are others than were known before. */
  readonly changed: boolean;
  /** Why it could not be connected. */
  readonly reason: string | null;
}

const AT_ONCE = 4;

/** Connects every server, brings what is known of it up to date, and ends it again. */
export function refresh(
  settings: WorkbenchSettings,
  report: (server: RefreshedServer) => void,
  signal = new AbortController().signal,
): Promise<RefreshedServer[]> {
  return withWorkbench({ signal }, quiet(settings), async ({ workbench }) => {
    const servers = Array.from(workbench.toolboxes.values())
      .flatMap((toolbox) => [...toolbox.servers.values()])
      .filter((server) => !server.settings.disabled);
    const done: RefreshedServer[] = [];
    await inParallel(servers, AT_ONCE, async (server) => {
      if (signal.aborted) return;
      const outcome = await refreshServer(workbench, server);
      done.push(outcome);
      report(outcome);
    });
    return done;
  });
}

/** A command tells by itself what goes wrong. */
export function quiet(settings: WorkbenchSettings): WorkbenchSettings {
  return { ...settings, log: { ...settings.log, level: "silent" } };
}

async function refreshServer(workbench: Workbench, server: Server): Promise<RefreshedServer> {
  const { catalogues } = workbench;
  const place = { toolbox: server.settings.toolbox, server: server.name };
  const before = await catalogues.recall(server);
  try {
    await (await workbench.discovery()).refresh(server);
  } catch (error) {
    return { ...place, tools: null, changed: false, reason: reasonOf(error) };
  }
  const after = catalogues.known(server)?.catalogue;
  const changed = before?.catalogue.fingerprint !== after?.fingerprint;
  return { ...place, tools: after?.tools.size ?? 0, changed, reason: null };
}

/** `mcp-workbench refresh`: what search and lists know is what the servers have now. */
export async function refreshCommand({ args, out, signal }: Context): Promise<number> {
  const settings = await loadConfig({ file: args.text("config") });
  const say = (server: RefreshedServer): void => out.print(safeLine(lineOf(server)));
  const servers = await refresh(settings, say, signal);
  out.document({ servers });
  return servers.every(({ reason }) => reason === null) ? EXIT.ok : EXIT.serverUnavailable;
}

function lineOf({ toolbox, server, tools, changed, reason }: RefreshedServer): string {
  if (reason !== null) return `✗ ${toolbox}/${server}: ${reason}`;
  const count = `${tools} ${tools === 1 ? "tool" : "tools"}`;
  return `✓ ${toolbox}/${server}: ${count}${changed ? ", changed" : ""}`;
}
