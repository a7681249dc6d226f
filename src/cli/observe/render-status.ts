import type { ServerStatus, WorkbenchStatus } from "../../workbench/status.ts";
import { plural } from "../output/layout.ts";
import { safeLine, safeText } from "../../text/safe-text.ts";

/** Lines of a failed server's standard error to show. */
const STDERR_LINES = 5;
const NAME_WIDTH = 20;
const STATE_WIDTH = 10;

/** A running workbench with its servers, for people. */
export function renderStatus(running: WorkbenchStatus): string {
  const up = Math.round(running.uptimeMs / 1000);
  const clients = plural(running.sessions, "client");
  const file = safeLine(running.config ?? "no file");
  const lines = [
    `workbench ${running.version}, pid ${running.pid}, up ${up} s, ${clients}, ${file}`,
  ];
  if (running.configProblem !== null)
    lines.push(`  the file has changed but cannot be used: ${safeText(running.configProblem)}`);
  for (const toolbox of running.toolboxes) {
    lines.push(`  ${toolbox.name}`);
    for (const server of toolbox.servers) lines.push(...serverLines(server));
  }
  return lines.join("\n");
}

// --- internal ---

function serverLines(server: ServerStatus): string[] {
  const facts = [
    server.pid === null ? "" : `pid ${server.pid}`,
    server.tools === null ? "" : plural(server.tools, "tool"),
    plural(server.calls, "call"),
    server.errors === 0 ? "" : plural(server.errors, "error"),
    server.latency === null ? "" : `p50 ${server.latency.p50} ms, p99 ${server.latency.p99} ms`,
    server.restarts === 0 ? "" : plural(server.restarts, "restart"),
  ].filter((fact) => fact !== "");
  const state = stateOf(server).padEnd(STATE_WIDTH);
  const lines = [`    ${server.name.padEnd(NAME_WIDTH)} ${state} ${facts.join(", ")}`];
  lines.push(...authLines(server));
  if (server.lastError !== null) {
    lines.push(`      last error: ${safeLine(server.lastError)}`);
    const output = server.stderrTail.slice(-STDERR_LINES);
    for (const line of output) lines.push(`      | ${safeLine(line)}`);
  }
  for (const problem of server.problems) lines.push(`      ${safeLine(problem)}`);
  return lines;
}

/** What is wrong with its sign-in. A workbench of an earlier version does not say. */
function authLines({ auth }: ServerStatus): string[] {
  if (!auth || auth.state === "signed-in") return [];
  if (auth.state === "unreachable")
    return [
      `      sign-in: ${safeLine(auth.reason ?? "the authorization server does not answer")}`,
    ];
  const why = auth.reason === null ? "" : ` (${safeLine(auth.reason)})`;
  return [`      to sign in, run: ${safeLine(auth.login)}${why}`];
}

/** A server that never connected is not idle if an attempt failed. */
function stateOf({ state, lastError, tools }: ServerStatus): string {
  return state === "idle" && lastError !== null && tools === null ? "failed" : state;
}
