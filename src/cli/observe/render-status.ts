import type { ServerStatus, UserStatus, WorkbenchStatus } from "../../workbench/status.ts";
import { columns, plural, wrapLines } from "../output/layout.ts";
import { safeLine, safeText } from "../../text/safe-text.ts";

/** Lines of a failed server's standard error to show. */
const STDERR_LINES = 5;
/** Users of a server to show. */
const USER_LINES = 10;
const NAME_WIDTH = 19;
const STATE_WIDTH = 9;

/**
 * Running workbenches in a terminal with so many rows: if there are too few, idle servers share a
 * line, and then the end is left out.
 */
export function fitStatus(
  running: readonly WorkbenchStatus[],
  width: number,
  rows: number,
): string {
  const linesOf = (idle: IdleServers): string[] =>
    running.flatMap((one) => wrapLines(renderStatus(one, width, idle), width).split("\n"));
  const all = linesOf("each");
  const lines = all.length > rows ? linesOf("together") : all;
  if (lines.length <= rows) return lines.join("\n");
  const shown = lines.slice(0, Math.max(1, rows - 1));
  const more = plural(lines.length - shown.length, "line");
  return [...shown, `… ${more} more, see mcp-workbench status`].join("\n");
}

/** Whether idle servers have a line each, or one for all of a toolbox. */
type IdleServers = "each" | "together";

/** A running workbench with its servers, for people. */
export function renderStatus(
  running: WorkbenchStatus,
  width = Infinity,
  idle: IdleServers = "each",
): string {
  const up = Math.round(running.uptimeMs / 1000);
  const clients = plural(running.sessions, "client");
  const file = safeLine(running.config ?? "no file");
  const kind = running.shared === true ? "shared workbench" : "workbench";
  const lines = [`${kind} ${running.version}, pid ${running.pid}, up ${up} s, ${clients}, ${file}`];
  if (running.configProblem !== null)
    lines.push(`  the file has changed but cannot be used: ${safeText(running.configProblem)}`);
  for (const toolbox of running.toolboxes) {
    lines.push(`  ${toolbox.name}`);
    const isQuiet = (server: ServerStatus): boolean => idle === "together" && hasNoNews(server);
    for (const server of toolbox.servers)
      if (!isQuiet(server)) lines.push(...serverLines(server, width));
    const quiet = toolbox.servers.filter(isQuiet).map(({ name }) => name);
    if (quiet.length > 0) lines.push(columns([["idle:", quiet.join(", ")]], "    ", width));
  }
  return lines.join("\n");
}

function serverLines(server: ServerStatus, width: number): string[] {
  const facts = [
    server.pid === null ? "" : `pid ${server.pid}`,
    server.tools === null ? "" : plural(server.tools, "tool"),
    plural(server.calls, "call"),
    server.errors === 0 ? "" : plural(server.errors, "error"),
    server.latency === null ? "" : `p50 ${server.latency.p50} ms, p99 ${server.latency.p99} ms`,
    server.restarts === 0 ? "" : plural(server.restarts, "restart"),
  ].filter((fact) => fact !== "");
  const name = server.name.padEnd(NAME_WIDTH);
  const row = [name, stateOf(server).padEnd(STATE_WIDTH), facts.join(", ")];
  const lines = [columns([row], "    ", width)];
  lines.push(...authLines(server), ...userLines(server));
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

/** The users of a server that each user signs in to, those with work for someone first. */
function userLines({ users = [], userCount = 0 }: ServerStatus): string[] {
  const needing = ({ auth }: UserStatus): boolean => auth !== null && auth.state !== "signed-in";
  const shown = [...users.filter(needing), ...users.filter((user) => !needing(user))];
  const lines = shown.slice(0, USER_LINES).map(({ user, state, calls, auth }) => {
    const how = auth === null || auth.state === "signed-in" ? "" : `, ${auth.state}`;
    return `      user ${safeLine(user)}: ${state}${how}, ${plural(calls, "call")}`;
  });
  const more = userCount - lines.length;
  return more > 0 ? [...lines, `      and ${plural(more, "more user")}`] : lines;
}

/** Whether there is nothing to say about a server except that it is idle. */
function hasNoNews(server: ServerStatus): boolean {
  const { auth, calls, lastError, problems } = server;
  const isFine = !auth || auth.state === "signed-in";
  const hasUsers = (server.userCount ?? 0) > 0;
  return (
    !hasUsers &&
    stateOf(server) === "idle" &&
    isFine &&
    calls === 0 &&
    !lastError &&
    problems.length === 0
  );
}

/** A server that never connected is not idle if an attempt failed. */
function stateOf({ state, lastError, tools }: ServerStatus): string {
  return state === "idle" && lastError !== null && tools === null ? "failed" : state;
}
