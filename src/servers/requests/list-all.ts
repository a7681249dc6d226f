import { type AskTarget, askRaw } from "./ask.ts";
import { type ListKey, type ListedItem, ListReader } from "./list-reader.ts";
import { Slices } from "../slices.ts";

/** What a listing was cut short by. */
export type ListLimit = "pages" | "items" | "bytes";

/** How long a listing may be, and who is told what was left out. */
export interface ListingLimits {
  readonly pages: number;
  readonly items: number;
  readonly exceeded?: (limit: ListLimit) => void;
  /** So many single items were left out because of what they are. */
  readonly leftOut?: (count: number) => void;
}

const LIMITS: ListingLimits = { pages: 100, items: 10_000 };

/**
 * All pages of a listing. Ends on a cursor seen before and at a page cap, so that a server cannot
 * keep us listing for ever; the empty string is a cursor like any other.
 */
export async function listAll(
  connection: AskTarget,
  method: string,
  key: ListKey,
  limits: ListingLimits = LIMITS,
  slices = new Slices(),
): Promise<ListedItem[]> {
  const reader = new ListReader(method, key, limits.items, slices);
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; ; page++) {
    const response = await askRaw(connection, method, cursor === undefined ? {} : { cursor });
    const next = await reader.read(response);
    const isLast = next === undefined || seen.has(next);
    const exceeded = reader.exceeded ?? (!isLast && reader.isFull ? "items" : undefined);
    const limit = exceeded ?? (!isLast && page === limits.pages ? "pages" : undefined);
    if (limit !== undefined) limits.exceeded?.(limit);
    if (!isLast && limit === undefined) {
      seen.add(next);
      cursor = next;
      continue;
    }
    if (reader.leftOut > 0) limits.leftOut?.(reader.leftOut);
    return reader.items;
  }
}
