import { EXIT, isWorkbenchError, reasonOf } from "../../errors.ts";
import type { Server } from "../../servers/server.ts";
import { inParallel } from "../../workbench/parallel.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Context } from "../core/command.ts";
import { plural } from "../output/layout.ts";
import { Progress } from "../output/progress.ts";
import { safeLine } from "../../text/safe-text.ts";
import { labelOf, startsAtOnce } from "../use/connect.ts";
import { configuration, serversAt } from "../use/target.ts";
import { withWorkbench } from "../use/with-workbench.ts";

/** The outcome for one server. */
interface RefreshedServer {
  readonly toolbox: string;
  readonly server: string;
  /** Number of tools that clients see; null if the connection failed. */
  readonly tools: number | null;
  /** Whether they differ from the cached ones. */
  readonly changed: boolean;
  /** Why the connection failed. */
  readonly reason: string | null;
}

/** `refresh`: updates the cached tool lists. */
export async function refresh(context: Context): Promise<number> {
  const { out, signal } = context;
  const settings = await configuration(context);
  return withWorkbench(context, settings, async ({ workbench }) => {
    const servers = serversAt(workbench, {});
    const progress = new Progress(out, { total: servers.length });
    const done: RefreshedServer[] = [];
    await inParallel(servers, startsAtOnce(), async (server) => {
      if (signal.aborted) return;
      const step = progress.start(`refreshing ${labelOf(server)}`);
      const outcome = await refreshServer(workbench, server);
      step.end();
      done.push(outcome);
      out.print(lineOf(outcome, out.style));
    });
    out.document({ servers: done });
    out.say(`\n${totalOf(done)}`);
    return done.every(({ reason }) => reason === null) ? EXIT.ok : EXIT.serverUnavailable;
  });
}

async function refreshServer(workbench: Workbench, server: Server): Promise<RefreshedServer> {
  const { catalogues } = workbench;
  const { place } = server;
  const before = await catalogues.load(server);
  try {
    await (await workbench.discovery()).refresh(server);
  } catch (error) {
    const reason = (isWorkbenchError(error) ? error.reason : undefined) ?? reasonOf(error);
    return { ...place, tools: null, changed: false, reason };
  }
  const after = catalogues.known(server)?.catalogue;
  const changed = before?.catalogue.fingerprint !== after?.fingerprint;
  return { ...place, tools: after?.tools.size ?? 0, changed, reason: null };
}

function lineOf(
  { toolbox, server, tools, changed, reason }: RefreshedServer,
  { green, red }: Context["out"]["style"],
): string {
  if (reason !== null) return `${red("✗")} ${toolbox}/${server}: ${safeLine(reason)}`;
  return `${green("✓")} ${toolbox}/${server}: ${plural(tools ?? 0, "tool")}${changed ? ", changed" : ""}`;
}

function totalOf(servers: readonly RefreshedServer[]): string {
  const tools = servers.reduce((sum, server) => sum + (server.tools ?? 0), 0);
  const failed = servers.filter(({ reason }) => reason !== null).length;
  const refreshed = `${plural(servers.length - failed, "server")}, ${plural(tools, "tool")}`;
  return failed === 0 ? `${refreshed}.` : `${refreshed}. ${plural(failed, "server")} failed.`;
}
