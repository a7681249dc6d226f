import { LogTail } from "../../files/log-tail.ts";
import { logFilter } from "../../text/log-filter.ts";
import type { DashboardContext } from "../context.ts";
import type { LogPage } from "../contract.ts";
import { LOG_LEVELS, parseLogLine } from "../events/log-lines.ts";
import { type Query, matches } from "../http/query.ts";

const DEFAULT_LINES = 200;
const MAX_LINES = 2000;

/** The last lines of the log file; without one, those since a dashboard was opened. */
export function logs({ workbench, log }: DashboardContext, query: Query): LogPage {
  const { file } = workbench.settings.log;
  const limit = query.count("limit", DEFAULT_LINES, MAX_LINES);
  const level = query.choice("level", LOG_LEVELS);
  const server = query.text("server");
  const filter = logFilter(server === "" ? undefined : server);
  const minimum = level === undefined ? -1 : LOG_LEVELS.indexOf(level);
  const all = file === undefined ? log.all : new LogTail(file).end();
  const found = all
    .filter((line) => matches(query.text("q"), line) && filter.shows(line))
    .map(parseLogLine)
    // A line without a level may be the rest of one that has it.
    .filter((line) => line.level === null || LOG_LEVELS.indexOf(line.level) >= minimum);
  return { file: file ?? null, lines: found.slice(-limit) };
}
