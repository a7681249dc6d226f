import { type LedgerEntry, type TokenCounts, readLedger, sumOfCounts } from "./ledger.ts";

/** Counts with what they come to. */
export interface SavedCounts extends TokenCounts {
  /** All that was saved, less the cost of discovery. `search` is a part of `start` already. */
  readonly saved: number;
}

/** What clients have saved, and what discovery cost them. */
export interface UsedTokens {
  /** The day on which counting began; null if nothing was counted. */
  readonly since: string | null;
  readonly total: SavedCounts;
  /** One for each client and toolbox. */
  readonly entries: readonly (LedgerEntry & SavedCounts)[];
  /** The file with earlier counts that could not be read. */
  readonly damagedFile: string | null;
}

/** Reads what was counted by all processes of this user. Throws if the file cannot be used, or is damaged. */
export function usedTokens(): UsedTokens {
  const { since = null, entries, damagedFile = null } = readLedger();
  return {
    since,
    total: withSaved(sumOfCounts(entries)),
    entries: entries.map(withSaved),
    damagedFile,
  };
}

export function withSaved<C extends TokenCounts>(counts: C): C & SavedCounts {
  const { start, results, scripts, discovery } = counts;
  return { ...counts, saved: start + results + scripts - discovery };
}
