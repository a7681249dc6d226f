import { CATEGORIES, OTHER } from "./categories.ts";
import { shortList } from "../text/short-list.ts";

/** More names would be cut off in most places that show a description. */
const MAX_NAMES = 12;

/**
 * The generated description of a toolbox: the names of its servers first, because they are the words
 * that users say, then what they are for.
 */
export function describeToolbox(names: readonly string[], purpose?: string): string {
  const list = shortList(names, MAX_NAMES);
  return purpose === undefined ? `Tools of ${list}` : `${list}: ${purpose}`;
}

/**
 * The description of a toolbox whose servers change. Only a generated description follows them: one
 * that differs in any way was written by the user and is returned unchanged.
 */
export function updatedDescription(
  description: string,
  before: readonly string[],
  after: readonly string[],
): string {
  if (before.length === 0 || after.length === 0) return description;
  const purpose = PURPOSES.find((known) => describeToolbox(before, known) === description);
  const isGenerated = purpose !== undefined || description === describeToolbox(before);
  return isGenerated ? describeToolbox(after, purpose) : description;
}

const PURPOSES: readonly string[] = [...CATEGORIES, OTHER].map(({ purpose }) => purpose);
