import { approvalsFile } from "../../access/approvals/approvals-file.ts";
import { pendingApprovals } from "../../access/approvals/manage-approvals.ts";
import { hasPolicy } from "../../config/has-policy.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import type { Server } from "../../servers/server.ts";
import { SERVER_STATES, type ServerState } from "../../servers/server-state.ts";
import type { Attributes, MetricData } from "../../telemetry/metrics/metric-data.ts";
import { observed, point } from "../../telemetry/metrics/observed.ts";
import { VERSION } from "../../version.ts";

/** What the workbench knows about its servers, read when it is needed. */
export function workbenchGauges(
  servers: readonly Server[],
  settings: WorkbenchSettings,
  sessions: number,
): MetricData[] {
  const inState = (state: ServerState): number =>
    servers.filter((server) => server.state === state).length;
  return [
    observed("gauge", "build_info", "1", "The version of the workbench", [
      point(1, { version: VERSION }),
    ]),
    observed(
      "gauge",
      "servers",
      "{server}",
      "Configured servers by state",
      // Every state, so that a series does not vanish when the last server leaves it.
      SERVER_STATES.map((state) => point(inState(state), { state })),
    ),
    observed(
      "counter",
      "restarts",
      "{restart}",
      "Restarts of servers after a failure",
      servers.map((server) => point(server.failures.restarts, placeOf(server))),
    ),
    observed("gauge", "sign_ins_needed", "{server}", "Servers that wait for the user to sign in", [
      point(servers.filter(({ signIn }) => signIn?.needed !== undefined).length),
    ]),
    observed(
      "gauge",
      "queue_depth",
      "{call}",
      "Calls that wait for a slot of their server, or for it to be connected",
      servers.map((server) => point(queuedCalls(server), placeOf(server))),
    ),
    observed("gauge", "sessions", "{session}", "Clients with a session", [point(sessions)]),
    observed(
      "gauge",
      "approvals_pending",
      "{approval}",
      "Calls that wait for the user's approval, of all workbenches of the user",
      hasPolicy(settings) ? [point(waitingApprovals())] : [],
    ),
  ];
}

function placeOf({ place: { toolbox, server } }: Server): Attributes {
  return { "mcp_workbench.toolbox": toolbox, "mcp_workbench.server": server };
}

function queuedCalls(server: Server): number {
  let queued = server.waitingForConnection;
  for (const { calls } of server.connections.values())
    for (const call of calls.values()) if (call.state === "queued") queued++;
  return queued;
}

/** A damaged file is reported where approvals are used. */
function waitingApprovals(): number {
  try {
    return pendingApprovals(approvalsFile()).length;
  } catch {
    return 0;
  }
}
