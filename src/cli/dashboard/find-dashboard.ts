import { locateConfig } from "../../config/locate.ts";
import { workbenchError } from "../../errors.ts";
import { isProcessRunning } from "../../files/is-running.ts";
import { safeLine } from "../../text/safe-text.ts";
import type { LinkChannel } from "../../workbench/link-channel.ts";
import type { Presence } from "../../workbench/presence.ts";
import type { Context } from "../core/command.ts";
import { presences } from "../observe/running-workbenches.ts";

/** A running workbench that can have a dashboard. */
export interface FoundDashboard {
  readonly pid: number;
  readonly config: string | null;
  readonly channel: LinkChannel;
}

/**
 * The workbench whose dashboard is meant: the only one, or the one with the configuration of the command; of several, the one
 * that was started last.
 */
export async function findDashboard(context: Context): Promise<FoundDashboard> {
  const running = presences().filter(({ pid }) => isProcessRunning(pid));
  const found = running.flatMap((presence) => dashboardOf(presence));
  const named = context.args.text("config");
  const file = configFile(context, named);
  const matching = found.filter(({ config }) => config === file);
  const [only, ...others] = named === undefined && matching.length === 0 ? found : matching;
  if (only === undefined) throw noDashboard(running.length > 0, named);
  if (others.length === 0 || matching.length > 0) return only;
  const files = found.map(({ config, pid }) => `${safeLine(config ?? "(no file)")} (pid ${pid})`);
  throw workbenchError(
    "USAGE",
    { reason: `Several workbenches run: ${files.join(", ")}` },
    "Name the configuration of one: mcp-workbench dashboard --config FILE",
  );
}

function dashboardOf({ pid, config, dashboard }: Presence): FoundDashboard[] {
  return dashboard === undefined ? [] : [{ pid, config, channel: dashboard }];
}

/** The configuration that the command would use; undefined if there is none. */
function configFile({ env, cwd }: Context, named: string | undefined): string | undefined {
  try {
    return locateConfig({ file: named, env, cwd }).file;
  } catch (error) {
    if (named !== undefined) throw error;
    return undefined;
  }
}

function noDashboard(isRunning: boolean, named: string | undefined): Error {
  const reason = isRunning
    ? "No running workbench has a dashboard: clients have started them without --shared"
    : "No workbench is running";
  const serve = `mcp-workbench serve --http 7333${named === undefined ? "" : " --config FILE"}`;
  return workbenchError("USAGE", { reason }, `Start one: ${serve}`);
}
