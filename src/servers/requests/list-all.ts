import { askRaw } from "./ask.ts";
import type { Connection } from "../connection/connection.ts";
import { type ListKey, type ListedItem, ListReader } from "./list-reader.ts";
import { Slices } from "../slices.ts";

/** Why a listing was cut short. */
export type ListLimit = "pages" | "items" | "bytes";

/** The limits of a listing, and who is notified about what was left out. */
export interface ListingLimits {
  readonly pages: number;
  readonly items: number;
  readonly exceeded?: (limit: ListLimit) => void;
  /** The number of items that were left out because of their content. */
  readonly leftOut?: (count: number) => void;
}

const LIMITS: ListingLimits = { pages: 100, items: 10_000 };

/**
 * Reads all pages of a listing. Stops at a repeated cursor and at a page limit, so that a server
 * cannot keep the workbench busy forever; an empty string is a valid cursor.
 */
export async function listAll(
  connection: Connection,
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
