import { EXIT } from "../../errors.ts";
import { safeLine } from "../../text/safe-text.ts";
import {
  COUNT_NAMES,
  type CountedClient,
  MAX_ENTRIES,
  sumOfCounts,
} from "../../workbench/accounting/ledger.ts";
import {
  type SavedCounts,
  type UsedTokens,
  usedTokens,
  withSaved,
} from "../../workbench/accounting/used-tokens.ts";
import type { Context } from "../core/command.ts";
import { count, numberTable } from "./number-table.ts";

const HEADER = ["", "at start", "search", "results", "scripts", "discovery", "saved"];

const OFF =
  'Nothing has been counted. Set "countTokens": true in the configuration; it counts from the next call on.';

const NOTES = [
  "at start: definitions that were not listed. results: stored instead of sent. scripts: what stayed inside, less the scripts.",
  "discovery: what meta-tools, instructions, searches and opened toolboxes cost. saved: at start + results + scripts - discovery.",
  "search: compared with opening the same toolboxes. It is not part of saved, because those definitions are in at start.",
];

/** `tokens --used`: what clients have saved, and what discovery cost. */
export function printUsedTokens({ out }: Context): number {
  const used = usedTokens();
  out.document({ ...used });
  out.print(used.entries.length === 0 ? OFF : usedTable(used, out.tableWidth));
  return EXIT.ok;
}

function usedTable({ since, total, entries, damagedFile }: UsedTokens, width: number): string {
  const rows: string[][] = [];
  for (const client of new Set(entries.map(shownClient))) {
    const own = entries.filter((entry) => shownClient(entry) === client);
    rows.push(rowOf(client, withSaved(sumOfCounts(own))));
    for (const entry of own)
      rows.push(rowOf(`  ${entry.toolbox === null ? "(all)" : safeLine(entry.toolbox)}`, entry));
  }
  rows.push(rowOf("total", total));
  const notes = [...NOTES];
  if (entries.some(({ kind }) => kind === "others"))
    notes.push(
      `others: clients and toolboxes beyond the first ${MAX_ENTRIES}, which are counted together.`,
    );
  if (damagedFile !== null)
    notes.push(`Earlier counts are not included: they were damaged, and kept as ${damagedFile}.`);
  return [
    `Estimated tokens since ${safeLine(since ?? "the first call")}`,
    numberTable(HEADER, rows, width),
    "",
    ...notes,
  ].join("\n");
}

/** The kind is always shown: a client may give itself any name, also that of an access token. */
function shownClient({ kind, client }: CountedClient): string {
  return kind === "others" ? kind : `${kind} ${safeLine(client)}`;
}

function rowOf(name: string, counts: SavedCounts): string[] {
  return [name, ...COUNT_NAMES.map((one) => count(counts[one])), count(counts.saved)];
}
