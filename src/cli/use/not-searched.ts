import { mayPrompt } from "../../config/prompting-secrets.ts";
import { type WorkbenchError, workbenchError } from "../../errors.ts";
import type { Server } from "../../servers/server.ts";
import { safeLine } from "../../text/safe-text.ts";
import { shortList } from "../../text/short-list.ts";
import { explainFailure, labelOf } from "./connect.ts";

const MAX_NAMED = 3;

/** One line, however many there are: `doctor` has the details. */
export function notSearched(servers: readonly Server[]): string {
  const [first] = servers;
  if (first !== undefined && servers.length === 1) {
    const { reason } = explainFailure(unreachable(first));
    return `${labelOf(first)} was not searched: ${safeLine(reason)}`;
  }
  const all = shortList(servers.map(labelOf), MAX_NAMED);
  return `${servers.length} servers could not be searched: ${all}. See why: mcp-workbench doctor`;
}

const NEVER_USED =
  "it has never been used, and its secrets are read only when it is. List its tools once: mcp-workbench list TOOLBOX/SERVER";

/** Why the tools of a server are not known. */
export function unreachable({ settings, failures }: Server): WorkbenchError {
  const { toolbox, name: server, unavailable } = settings;
  const reason =
    unavailable ??
    failures.lastError ??
    (mayPrompt(settings) ? NEVER_USED : "it could not be connected");
  const cause = { code: failures.lastErrorCode };
  return workbenchError("CONNECTION_FAILED", { toolbox, server, reason }, undefined, cause);
}
