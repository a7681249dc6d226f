/** What loaded data is after an event. */
import {
  type CallPage,
  type CallState,
  type DashboardEvent,
  FAILED_STATES,
  type LiveCall,
  type LogLevel,
  type LogLine,
  type LogPage,
  type ServerPage,
  type ServerState,
  type ServerSummary,
} from "../../contract.ts";

const isSame = (a: ServerSummary, b: ServerSummary): boolean =>
  a.toolbox === b.toolbox && a.server === b.server;

/** Replaces the servers that changed. A list of servers in one state is loaded again when one enters or leaves it. */
export function updateServers(
  page: ServerPage,
  event: DashboardEvent,
  state: ServerState | "" = "",
): ServerPage | "reload" {
  if (event.type !== "servers") return page;
  const isListed = (server: ServerSummary): boolean =>
    page.items.some((old) => isSame(old, server));
  if (state !== "" && event.servers.some((now) => isListed(now) !== (now.state === state)))
    return "reload";
  const items = page.items.map((old) => event.servers.find((now) => isSame(now, old)) ?? old);
  return { ...page, items };
}

/** More are read from the workbench, page by page. */
const MAX_CALLS = 200;

export interface CallFilter {
  readonly q: string;
  readonly state: CallState | "failed" | "";
}

/** Replaces the calls that ended, and adds new ones that match, the most recent first. */
export function updateCalls(page: CallPage, event: DashboardEvent, filter: CallFilter): CallPage {
  if (event.type !== "calls") return page;
  const byId = new Map(page.items.map((call) => [call.id, call]));
  let added = 0;
  for (const call of event.calls) {
    const known = byId.get(call.id);
    // What was loaded may be newer than an event on its way.
    if (known !== undefined && known.state !== "running") continue;
    if (!matches(call, filter)) {
      // It has ended, and those that run are wanted.
      if (byId.delete(call.id)) added--;
      continue;
    }
    if (known === undefined) added++;
    byId.set(call.id, call);
  }
  const items = [...byId.values()].toSorted((a, b) => Number(b.id) - Number(a.id));
  return { ...page, items: items.slice(0, MAX_CALLS), total: page.total + added };
}

/** As the workbench filters them. */
function matches(call: LiveCall, { q, state }: CallFilter): boolean {
  if (
    state === "failed" ? !FAILED_STATES.includes(call.state) : state !== "" && call.state !== state
  )
    return false;
  const { toolbox, server, subject, client, principal, method } = call;
  const place = `${toolbox ?? ""}/${server ?? ""}/${subject}`;
  const word = q.trim().toLowerCase();
  return [place, principal.name, client?.name ?? "", method].some((text) =>
    text.toLowerCase().includes(word),
  );
}

const MAX_LINES = 2000;
const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

export interface LogFilter {
  readonly q: string;
  readonly level: LogLevel | "";
}

/** Appends new lines that match. A line that was loaded may be on its way as an event, too. */
export function updateLog(page: LogPage, event: DashboardEvent, filter: LogFilter): LogPage {
  if (event.type !== "log") return page;
  const keyOf = ({ time, text }: LogLine): string => `${time} ${text}`;
  const known = new Set(page.lines.slice(-MAX_LINES).map(keyOf));
  const isWanted = (line: LogLine): boolean =>
    LEVELS.indexOf(line.level ?? "info") >= LEVELS.indexOf(filter.level || "debug") &&
    line.text.toLowerCase().includes(filter.q.toLowerCase());
  const lines = event.lines.filter((line) => isWanted(line) && !known.has(keyOf(line)));
  return { ...page, lines: [...page.lines, ...lines].slice(-MAX_LINES) };
}
