/** What loaded data is after an event. */
import type {
  CallPage,
  CallState,
  DashboardEvent,
  LiveCall,
  LogLevel,
  LogLine,
  LogPage,
  ServerPage,
  ServerSummary,
} from "../../contract.ts";

const isSame = (a: ServerSummary, b: ServerSummary): boolean =>
  a.toolbox === b.toolbox && a.server === b.server;

export function updateServers(page: ServerPage, event: DashboardEvent): ServerPage {
  if (event.type !== "servers") return page;
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
    if (known === undefined && !matches(call, filter)) continue;
    if (known === undefined) added++;
    byId.set(call.id, call);
  }
  const items = [...byId.values()].toSorted((a, b) => Number(b.id) - Number(a.id));
  return { ...page, items: items.slice(0, MAX_CALLS), total: page.total + added };
}

function matches(call: LiveCall, { q, state }: CallFilter): boolean {
  const isFailed = !["running", "ok"].includes(call.state);
  if (state === "failed" ? !isFailed : state !== "" && call.state !== state) return false;
  const texts = [call.subject, call.server, call.toolbox, call.client?.name, call.principal.name];
  return q === "" || texts.some((text) => text?.toLowerCase().includes(q.toLowerCase()));
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
