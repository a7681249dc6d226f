import { parseConfig } from "../../config/load.ts";
import { EXIT } from "../../errors.ts";
import { serveHttp } from "../../serve/http.ts";
import { checkHostName, parseAddress } from "../../serve/http/address.ts";
import { listenForMetrics } from "../../serve/metrics-listener.ts";
import { openLinkChannel } from "../../workbench/link-channel.ts";
import { presenceFolder, publishPresence, statusOf } from "../../workbench/presence.ts";
import { followConfig } from "../../workbench/reload.ts";
import { endSignal } from "./end-signal.ts";
import { connectionHelp, plainHttpWarning } from "./http-notices.ts";
import {
  checkNoProvider,
  checkNoToken,
  ownToken,
  sharedTokenFile,
  tokenInVariable,
} from "./http-token.ts";
import { newHttpWorkbench } from "./new-http-workbench.ts";
import { reachableAt } from "./network-urls.ts";
import { trustedConfig } from "./trusted-config.ts";
import { viewOf } from "./view.ts";

export interface ServeHttpOptions {
  readonly config?: string | undefined;
  readonly toolbox?: readonly string[] | undefined;
  readonly server?: string | undefined;
  readonly "no-auth"?: boolean | undefined;
  readonly "token-env"?: string | undefined;
  readonly "allow-host"?: readonly string[] | undefined;
  readonly metrics?: string | undefined;
}

/** `mcp-workbench serve --http`: one MCP server for any number of clients. */
export async function serveOverHttp(http: string, options: ServeHttpOptions): Promise<number> {
  const address = parseAddress(http);
  const metrics =
    options.metrics === undefined ? undefined : parseAddress(options.metrics, "--metrics");
  const allowedHosts = options["allow-host"] ?? [];
  for (const name of allowedHosts) checkHostName(name);
  const variable = options["token-env"];
  const open = options["no-auth"] === true;
  if (open) checkNoToken(address, variable);
  const given = variable === undefined ? undefined : tokenInVariable(variable);
  const config = await trustedConfig(options.config);
  const settings = await parseConfig(config.text, config);
  if (open) checkNoProvider(settings.http);
  const workbench = await newHttpWorkbench(settings);
  const { view, access, front } = await orClose(workbench, async () => {
    const view = viewOf(workbench, options.toolbox, options.server);
    const access = open ? undefined : (given ?? (await ownToken(address)));
    const front = await serveHttp(workbench, view, {
      address,
      token: access?.token,
      tokenFile: sharedTokenFile(workbench),
      allowedHosts,
      dashboard: async (shown) =>
        (await import("../../dashboard/dashboard.ts")).createDashboard(shown),
    });
    return { view, access, front };
  });
  const metricsUrl = metrics && (await listenForMetrics(workbench, metrics, allowedHosts));
  const signalled = endSignal(workbench);
  const { stop: unfollow } = followConfig(workbench, config);
  const links = openLinkChannel(presenceFolder(), () => front.dashboardLink());
  publishPresence(workbench, () => statusOf(workbench, view, front.sessions), links);
  const warning = settings.http.tls === undefined ? plainHttpWarning(address.host) : "";
  const reachable = reachableAt(address.host, front.url, allowedHosts);
  process.stderr.write(warning + connectionHelp(reachable, view, access?.source));
  if (metricsUrl !== undefined) process.stderr.write(`Metrics: ${metricsUrl}\n`);
  await signalled;
  unfollow();
  await front.drain();
  await Promise.all([front.close(), workbench.shutDown()]);
  process.exit(EXIT.ok);
}

/** Closes the workbench if it cannot serve: a connection to Redis would keep the process alive. */
async function orClose<T>(
  workbench: Awaited<ReturnType<typeof newHttpWorkbench>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await workbench.close();
    throw error;
  }
}
