import { join } from "node:path";
import { auditFiles } from "../../../audit/file-names.ts";
import { type ReadEntry, entriesInOrder, readEntry } from "../../../audit/read-entries.ts";
import { EXIT } from "../../../errors.ts";
import { asText, valueAt } from "../../../text/json.ts";
import { safeLine } from "../../../text/safe-text.ts";
import type { Context } from "../../core/command.ts";
import { pause } from "../../core/pause.ts";
import { readCount } from "../../core/read-count.ts";
import type { Output } from "../../output/output.ts";
import { LogTail } from "../log-tail.ts";
import type { AuditFilter } from "./audit-filter.ts";
import { DamagedLines } from "./damaged-lines.ts";

const DEFAULT_LINES = 50;
const MAX_LINES = 10_000;
const FOLLOW_MS = 300;

/** `audit [--follow]`: the last entries, and then new ones. */
export async function showAudit(
  context: Context,
  folder: string,
  filter: AuditFilter,
): Promise<number> {
  const { args, out } = context;
  const count = readCount(args, "lines", DEFAULT_LINES, MAX_LINES);
  if (args.flag("follow")) return follow(context, folder, filter, count);
  const damaged = new DamagedLines();
  const days = [...new Set(auditFiles(folder).map(({ day }) => day))].filter(filter.includesDay);
  let last: ReadEntry[] = [];
  // Recent days first: usually they have enough entries.
  for (const day of days.toReversed()) {
    const found: ReadEntry[] = [];
    for (const entry of entriesInOrder(folder, (other) => other === day, damaged.add)) {
      if (!isShown(entry, filter)) continue;
      found.push(entry);
      if (found.length > 2 * MAX_LINES) found.splice(0, MAX_LINES);
    }
    last = [...found, ...last].slice(-count);
    if (last.length >= count) break;
  }
  for (const entry of last) show(entry, out);
  damaged.report(out);
  if (last.length === 0) out.say(nothingRecorded(days.length > 0, filter));
  return EXIT.ok;
}

async function follow(
  { out, signal, endsOnSignal }: Context,
  folder: string,
  filter: AuditFilter,
  count: number,
): Promise<number> {
  endsOnSignal();
  const tails = new Map<string, LogTail>();
  const newLines = (isFirst: boolean): string[] =>
    auditFiles(folder)
      .slice(-MAX_FOLLOWED)
      .flatMap(({ name }) => {
        const known = tails.get(name);
        const tail = known ?? new LogTail(join(folder, name));
        tails.set(name, tail);
        return isFirst ? tail.end() : tail.lines();
      });
  const showLines = (lines: readonly string[], most: number): void => {
    const entries = lines.flatMap((line) => readEntry(line) ?? []);
    const shown = entries.filter((entry) => isShown(entry, filter));
    const timeOf = ({ fields }: ReadEntry): string => String(fields["time"]);
    shown.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : 0));
    for (const entry of shown.slice(-most)) show(entry, out);
  };
  showLines(newLines(true), count);
  while (!signal.aborted) {
    await pause(FOLLOW_MS, signal);
    if (!signal.aborted) showLines(newLines(false), Infinity);
  }
  return EXIT.ok;
}

/** The most recent files; older ones do not grow. */
const MAX_FOLLOWED = 200;

/** The entries about calls, and those that say that entries were lost. */
function isShown(entry: ReadEntry, filter: AuditFilter): boolean {
  return entry.fields["event"] !== "start" && filter.matches(entry);
}

function show({ line, fields }: ReadEntry, out: Output): void {
  out.documentText(line);
  if (!out.json) out.print(textOf(fields, out), "    ");
}

function textOf(fields: ReadEntry["fields"], out: Output): string {
  const time = safeLine(asText(fields["time"])).slice(0, 19).replace("T", " ");
  const { dim } = out.style;
  if (fields["event"] === "lost") return `${time}  ${String(fields["count"])} entries were lost`;
  const ms = typeof fields["ms"] === "number" ? `${fields["ms"]} ms` : "";
  return [
    dim(time),
    safeLine(asText(valueAt(fields, ["principal", "name"]))).padEnd(8),
    coloured(safeLine(asText(fields["outcome"])), out),
    safeLine(subjectOf(fields)),
    dim([ms, safeLine(asText(fields["code"]))].filter((part) => part !== "").join(" ")),
  ].join("  ");
}

function coloured(outcome: string, { style }: Output): string {
  const padded = outcome.padEnd(10);
  if (outcome === "ok") return style.green(padded);
  return outcome === "cancelled" ? style.yellow(padded) : style.red(padded);
}

function subjectOf({ toolbox, server, tool, prompt, method }: ReadEntry["fields"]): string {
  const name = tool ?? prompt;
  const path = [toolbox, server, name].filter((part) => typeof part === "string").join("/");
  if (name !== undefined && path !== "") return path;
  return [asText(method), path].filter((part) => part !== "").join(" ");
}

function nothingRecorded(hasFiles: boolean, { isActive }: AuditFilter): string {
  if (hasFiles && isActive) return "No entry matches.";
  return 'Nothing is recorded. Calls are recorded over HTTP by default, and everywhere with:\n  "audit": { "enabled": true }';
}
