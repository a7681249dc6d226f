import { auditFiles } from "../../../audit/file-names.ts";
import { type ReadEntry, entriesInOrder } from "../../../audit/read-entries.ts";
import { EXIT } from "../../../errors.ts";
import { asText, valueAt } from "../../../text/json.ts";
import { safeLine } from "../../../text/safe-text.ts";
import type { Context } from "../../core/command.ts";
import { pause } from "../../core/pause.ts";
import { readCount } from "../../core/read-count.ts";
import type { Output } from "../../output/output.ts";
import type { AuditFilter } from "./audit-filter.ts";
import { DamagedLines } from "./damaged-lines.ts";
import { FollowedEntries } from "./followed-entries.ts";

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
  const entries = new FollowedEntries(folder, (entry) => isShown(entry, filter));
  for (const entry of entries.first(count)) show(entry, out);
  while (!signal.aborted) {
    await pause(FOLLOW_MS, signal);
    if (!signal.aborted) for (const entry of entries.next()) show(entry, out);
  }
  return EXIT.ok;
}

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
