import { join } from "node:path";

import { type StateFormat, readStateFile, updateStateFile } from "../../access/state-file.ts";
import { stateDir } from "../../config/directories.ts";
import { isObject, parseJson } from "../../text/json.ts";

/** Tokens by what they were saved by, and what discovery cost. */
export interface TokenCounts {
  /** Definitions that were not listed at the start. */
  readonly start: number;
  /** Definitions of toolboxes that need not be opened, because a search found the tool. */
  readonly search: number;
  /** Results that were stored instead of sent. */
  readonly results: number;
  /** Calls and results inside of scripts, less the scripts and their results. */
  readonly scripts: number;
  /** The cost of the meta-tools, instructions, searches and opened toolboxes. */
  readonly discovery: number;
}

export type CountName = keyof TokenCounts;
export const COUNT_NAMES: readonly CountName[] = [
  "start",
  "search",
  "results",
  "scripts",
  "discovery",
];

/** Counts for one client and toolbox; null is what belongs to no single toolbox. */
export interface LedgerEntry extends TokenCounts {
  readonly client: string;
  readonly toolbox: string | null;
}

export interface Ledger {
  /** The day on which counting began. */
  readonly since: string | undefined;
  readonly entries: readonly LedgerEntry[];
}

const MAX_ENTRIES = 500;
const MAX_NAME_CHARS = 100;
/** Further clients are counted together. */
const OTHER_CLIENTS = "other";
const NOTHING: Ledger = { since: undefined, entries: [] };

export function ledgerFile(): string {
  return join(stateDir(), "token-ledger.json");
}

export function readLedger(file = ledgerFile()): Ledger {
  return readStateFile(file, FORMAT);
}

/** Adds counts to the file. Several processes do that, one at a time. */
export async function addToLedger(
  added: readonly LedgerEntry[],
  today: string,
  file = ledgerFile(),
): Promise<void> {
  await updateStateFile(file, FORMAT, ({ since = today, entries }) => ({
    next: { since, entries: sumOf([...entries, ...added]) },
    result: undefined,
  }));
}

/** One entry for each client and toolbox. */
export function sumOf(entries: readonly LedgerEntry[]): LedgerEntry[] {
  const sums = new Map<string, LedgerEntry>();
  for (const entry of entries) {
    const own = JSON.stringify([entry.client, entry.toolbox]);
    const isFull = sums.size >= MAX_ENTRIES && !sums.has(own);
    const client = isFull ? OTHER_CLIENTS : entry.client;
    const toolbox = isFull ? null : entry.toolbox;
    const key = isFull ? JSON.stringify([client, toolbox]) : own;
    sums.set(key, { client, toolbox, ...added(sums.get(key), entry) });
  }
  return [...sums.values()];
}

function added(before: TokenCounts | undefined, more: TokenCounts): TokenCounts {
  const sum = (name: CountName): number => (before?.[name] ?? 0) + more[name];
  return {
    start: sum("start"),
    search: sum("search"),
    results: sum("results"),
    scripts: sum("scripts"),
    discovery: sum("discovery"),
  };
}

/** The counts are not worth an error: a damaged file is replaced. */
const FORMAT: StateFormat<Ledger> = {
  empty: NOTHING,
  parse: (text) => {
    const value = parseJson(text);
    if (!isObject(value) || !Array.isArray(value["entries"])) return NOTHING;
    const { since } = value;
    return {
      since: typeof since === "string" ? since.slice(0, MAX_NAME_CHARS) : undefined,
      entries: value["entries"].flatMap(entryOf).slice(0, MAX_ENTRIES + 1),
    };
  },
  textOf: ({ since, entries }) => `${JSON.stringify({ since, entries }, undefined, 1)}\n`,
  unusable: (file, reason, cause) => new Error(`${file} cannot be used: ${reason}`, { cause }),
  busy: (file, reason) => new Error(`${file} is in use: ${reason}`),
};

function entryOf(value: unknown): LedgerEntry[] {
  if (!isObject(value)) return [];
  const { client, toolbox } = value;
  if (typeof client !== "string" || (toolbox !== null && typeof toolbox !== "string")) return [];
  const number = (name: CountName): number => {
    const count = value[name];
    return typeof count === "number" && Number.isSafeInteger(count) ? count : 0;
  };
  return [
    {
      client: client.slice(0, MAX_NAME_CHARS),
      toolbox,
      start: number("start"),
      search: number("search"),
      results: number("results"),
      scripts: number("scripts"),
      discovery: number("discovery"),
    },
  ];
}
