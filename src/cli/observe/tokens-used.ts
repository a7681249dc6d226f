import { EXIT } from "../../errors.ts";
import { safeLine } from "../../text/safe-text.ts";
import {
  COUNT_NAMES,
  type Ledger,
  type LedgerEntry,
  type TokenCounts,
  readLedger,
} from "../../workbench/accounting/ledger.ts";
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
export function usedTokens({ out }: Context): number {
  const ledger = readLedger();
  out.document({
    since: ledger.since ?? null,
    total: withSaved(totalOf(ledger.entries)),
    entries: ledger.entries.map((entry) => ({ ...entry, saved: savedBy(entry) })),
  });
  out.print(ledger.entries.length === 0 ? OFF : usedTable(ledger, out.tableWidth));
  return EXIT.ok;
}

function usedTable({ since, entries }: Ledger, width: number): string {
  const rows: string[][] = [];
  for (const client of new Set(entries.map((entry) => entry.client))) {
    const own = entries.filter((entry) => entry.client === client);
    rows.push(rowOf(safeLine(client), totalOf(own)));
    for (const entry of own)
      rows.push(rowOf(`  ${entry.toolbox === null ? "(all)" : safeLine(entry.toolbox)}`, entry));
  }
  rows.push(rowOf("total", totalOf(entries)));
  return [
    `Estimated tokens since ${safeLine(since ?? "the first call")}`,
    numberTable(HEADER, rows, width),
    "",
    ...NOTES,
  ].join("\n");
}

function rowOf(name: string, counts: TokenCounts): string[] {
  return [name, ...COUNT_NAMES.map((one) => count(counts[one])), count(savedBy(counts))];
}

function totalOf(entries: readonly LedgerEntry[]): TokenCounts {
  const sum = (name: keyof TokenCounts): number =>
    entries.reduce((total, entry) => total + entry[name], 0);
  return {
    start: sum("start"),
    search: sum("search"),
    results: sum("results"),
    scripts: sum("scripts"),
    discovery: sum("discovery"),
  };
}

function savedBy({ start, results, scripts, discovery }: TokenCounts): number {
  return start + results + scripts - discovery;
}

function withSaved(counts: TokenCounts): TokenCounts & { readonly saved: number } {
  return { ...counts, saved: savedBy(counts) };
}
