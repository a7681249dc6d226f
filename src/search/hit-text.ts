/** Texts about a tool that was found. */

import { asText } from "../text/json.ts";
import { shortList } from "../text/short-list.ts";
import { descriptionOf } from "./description.ts";
import { firstSentence } from "./sentence.ts";
import type { Hit } from "./types.ts";

const MAX_TWINS = 2;

/** What a tool is for; if it does not say so, what its server is for. */
export function purposeOf({ tool, about = "" }: Hit, maxChars: number): string {
  const own = firstSentence(descriptionOf(tool), maxChars);
  return own || firstSentence(asText(tool.title), maxChars) || firstSentence(about, maxChars);
}

/** The other servers that have the same tool. */
export function alsoIn({ also = [] }: Hit): string {
  const places = also.map(({ toolbox, server }) => `${toolbox}/${server}`);
  return places.length === 0 ? "" : ` (also in ${shortList(places, MAX_TWINS)})`;
}
