/** Texts about a tool that was found. */

import { shortList } from "../text/short-list.ts";
import { descriptionOf, titleOf } from "./description.ts";
import { firstSentence } from "./sentence.ts";
import { nameKey } from "./text.ts";
import type { Hit } from "./types.ts";

const MAX_TWINS = 2;
/** The length of " tool" and a little. */
const MAX_ADDED = 10;

/** What a tool is for; if it does not say so, what its server is for. */
export function purposeOf({ tool, about = "" }: Hit, maxChars: number): string {
  const description = descriptionOf(tool);
  const own = repeatsName(description, tool.name) ? "" : firstSentence(description, maxChars);
  return own || firstSentence(titleOf(tool), maxChars) || firstSentence(about, maxChars);
}

/** Also with the word "tool" after it. */
function repeatsName(description: string, name: string): boolean {
  if (description.length > 2 * name.length + MAX_ADDED) return false;
  const key = nameKey(name);
  return [key, `${key}tool`].includes(nameKey(description));
}

/** The other servers that have the same tool. */
export function alsoIn({ also = [] }: Hit): string {
  const places = also.map(({ toolbox, server }) => `${toolbox}/${server}`);
  return places.length === 0 ? "" : ` (also in ${shortList(places, MAX_TWINS)})`;
}
