import { CSV_HEADER, csvLine } from "../../../audit/csv.ts";
import { entriesInOrder } from "../../../audit/read-entries.ts";
import { EXIT, workbenchError } from "../../../errors.ts";
import { choices } from "../../../text/choices.ts";
import type { Context } from "../../core/command.ts";
import type { AuditFilter } from "./audit-filter.ts";
import { DamagedLines } from "./damaged-lines.ts";

const FORMATS = ["jsonl", "csv"];

/** `audit export`: all entries in the order of time, as they were written or as a table. */
export async function exportAudit(
  { args, out, signal }: Context,
  folder: string,
  filter: AuditFilter,
): Promise<number> {
  const format = args.text("format") ?? "jsonl";
  if (!FORMATS.includes(format)) {
    const reason = `--format: unknown format '${format}'`;
    throw workbenchError("USAGE", { reason }, choices(format, FORMATS));
  }
  if (out.json)
    throw workbenchError("USAGE", {
      reason: "--json and 'export' cannot be combined: --format chooses the format",
    });
  const damaged = new DamagedLines();
  if (format === "csv") out.printRaw(`${CSV_HEADER}\r\n`);
  for (const entry of entriesInOrder(folder, filter.includesDay, damaged.add)) {
    if (signal.aborted) break;
    if (!filter.matches(entry)) continue;
    out.printRaw(format === "csv" ? `${csvLine(entry.fields)}\r\n` : `${entry.line}\n`);
  }
  damaged.report(out);
  return EXIT.ok;
}
