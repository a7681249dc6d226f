import { approvalsFile } from "../../access/approvals/approvals-file.ts";
import { pendingApprovals } from "../../access/approvals/manage-approvals.ts";
import { thisMachine } from "../../config/directories.ts";
import { serversOf } from "../../serve/client-view.ts";
import { VERSION } from "../../version.ts";
import { usedTokens } from "../../workbench/accounting/used-tokens.ts";
import type { DashboardContext } from "../context.ts";
import type { Overview, Savings } from "../contract.ts";
import { countStates } from "./servers.ts";

export function overview(context: DashboardContext): Overview {
  const { workbench, view, sessions, env } = context;
  const { startedAt, settings, configProblem, catalogues } = workbench;
  const servers = serversOf(view);
  return {
    version: VERSION,
    pid: process.pid,
    startedAt: new Date(startedAt).toISOString(),
    config: settings.file ?? null,
    configProblem: configProblem ?? null,
    sessions: sessions(),
    toolboxes: view.scope.size,
    servers: countStates(servers),
    tools: servers.reduce(
      (sum, server) => sum + (catalogues.known(server)?.catalogue.tools.size ?? 0),
      0,
    ),
    pendingApprovals:
      orNothing(() => pendingApprovals(approvalsFile(thisMachine(env))).length) ?? 0,
    savedTokens: settings.countTokens ? (orNothing(() => usedTokens().total.saved) ?? null) : null,
  };
}

/** The numbers of `tokens --used`. */
export function savings({ workbench }: DashboardContext): Savings {
  return { isCounting: workbench.settings.countTokens, ...usedTokens() };
}

/** A damaged file is reported on the page that is about it. */
function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
