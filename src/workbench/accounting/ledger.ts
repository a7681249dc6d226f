import { renameSync } from "node:fs";
import { join } from "node:path";

import { type StateFormat, readStateFile, updateStateFile } from "../../access/state-file.ts";
import { stateDir } from "../../config/directories.ts";
import { workbenchError } from "../../errors.ts";
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

/** What a name belongs to: a client, an access token, or a user; or to all that are counted together. */
const CLIENT_KINDS = ["client", "token", "user", "others"] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

/** A client as it is counted. Names are unique only among those of the same kind. */
export interface CountedClient {
  readonly kind: ClientKind;
  readonly client: string;
}

/** Counts for one client and toolbox; null is what belongs to no single toolbox. */
export interface LedgerEntry extends TokenCounts, CountedClient {
  readonly toolbox: string | null;
}

export interface Ledger {
  /** The day on which counting began. */
  readonly since: string | undefined;
  readonly entries: readonly LedgerEntry[];
  /** The file with earlier counts that could not be read. */
  readonly damagedFile: string | undefined;
}

/** Entries of a client of its own. What exceeds that is counted together. */
export const MAX_ENTRIES = 500;
const MAX_NAME_CHARS = 100;
const MAX_FILE_NAME_CHARS = 4096;
const OTHERS: CountedClient = { kind: "others", client: "others" };
const NOTHING: Ledger = { since: undefined, entries: [], damagedFile: undefined };

/** A file that is there, but has not what was written. */
interface Damage {
  readonly damage: string;
}

export function ledgerFile(): string {
  return join(stateDir(), "token-ledger.json");
}

/** Throws if the file cannot be used, or is damaged. */
export function readLedger(file = ledgerFile()): Ledger {
  const ledger = readStateFile(file, FORMAT);
  if (!("damage" in ledger)) return ledger;
  const hint = `Counting begins again with the next call, and this file is kept beside the new one`;
  const reason = `it is damaged (${ledger.damage})`;
  throw workbenchError("FILE_INVALID", { file, at: "", reason }, hint);
}

/**
 * Adds counts to the file. Several processes do that, one at a time. A damaged file is kept under
 * another name, which is returned.
 */
export async function addToLedger(
  added: readonly LedgerEntry[],
  now: Date,
  file = ledgerFile(),
): Promise<string | undefined> {
  return updateStateFile(file, FORMAT, (before) => {
    const moved = "damage" in before ? moveAside(file, now) : undefined;
    const known = "damage" in before ? { ...NOTHING, damagedFile: moved } : before;
    const since = known.since ?? now.toISOString().slice(0, 10);
    return {
      next: { ...known, since, entries: sumOf([...known.entries, ...added]) },
      result: moved,
    };
  });
}

function moveAside(file: string, now: Date): string {
  const time = now.toISOString().replaceAll(/[:.]/g, "-");
  const moved = file.replace(/\.json$/, `.damaged-${time}.json`);
  renameSync(file, moved);
  return moved;
}

/** One entry for each client and toolbox. */
export function sumOf(entries: readonly LedgerEntry[]): LedgerEntry[] {
  const sums = new Map<string, LedgerEntry>();
  for (const entry of entries) {
    const own = keyOf(entry);
    const isFull = sums.size >= MAX_ENTRIES && !sums.has(own);
    const { kind, client, toolbox } = isFull ? { ...OTHERS, toolbox: null } : entry;
    const key = isFull ? keyOf({ ...OTHERS, toolbox: null }) : own;
    const before = sums.get(key);
    sums.set(key, { kind, client, toolbox, ...sumOfCounts(before ? [before, entry] : [entry]) });
  }
  return [...sums.values()];
}

function keyOf({ kind, client, toolbox }: Omit<LedgerEntry, CountName>): string {
  return JSON.stringify([kind, client, toolbox]);
}

export function sumOfCounts(all: readonly TokenCounts[]): TokenCounts {
  const sum = (name: CountName): number => all.reduce((total, counts) => total + counts[name], 0);
  return {
    start: sum("start"),
    search: sum("search"),
    results: sum("results"),
    scripts: sum("scripts"),
    discovery: sum("discovery"),
  };
}

const FORMAT: StateFormat<Ledger | Damage> = {
  empty: NOTHING,
  parse: (text) => {
    const value = parseJson(text);
    if (!isObject(value)) return { damage: "it is not a JSON object" };
    const { since, entries, damagedFile } = value;
    if (!Array.isArray(entries) || !isText(since, MAX_NAME_CHARS))
      return { damage: "its entries or their first day are missing" };
    if (damagedFile !== undefined && !isText(damagedFile, MAX_FILE_NAME_CHARS))
      return { damage: "damagedFile is not a path" };
    const read = entries.map(entryOf);
    const known = read.filter((entry) => entry !== undefined);
    if (known.length < read.length || read.length > MAX_ENTRIES + 1)
      return { damage: "some of its entries cannot be read" };
    return { since, entries: known, damagedFile };
  },
  textOf: (ledger) => `${JSON.stringify(ledger, undefined, 1)}\n`,
  unusable: (file, reason, cause) => {
    const hint = "No tokens are counted until it is moved away";
    return workbenchError("FILE_INVALID", { file, at: "", reason }, hint, cause);
  },
  busy: (file, reason) => new Error(`${file} is in use: ${reason}`),
};

function isText(value: unknown, maxChars: number): value is string {
  return typeof value === "string" && value.length <= maxChars;
}

/** An entry as it was written; undefined if it was not. */
function entryOf(value: unknown): LedgerEntry | undefined {
  if (!isObject(value)) return undefined;
  const { kind, client, toolbox } = value;
  const known = CLIENT_KINDS.find((one) => one === kind);
  if (known === undefined || !isText(client, MAX_NAME_CHARS)) return undefined;
  if (toolbox !== null && typeof toolbox !== "string") return undefined;
  const isCount = (name: CountName): boolean => Number.isSafeInteger(value[name]);
  if (!COUNT_NAMES.every(isCount)) return undefined;
  return { kind: known, client, toolbox, ...sumOfCounts([value as unknown as TokenCounts]) };
}
