/** Tools that a search does not find, although it is given what they say they do. */

import { descriptionOf } from "./description.ts";
import { inverseFrequency } from "./postings.ts";
import { toolText } from "./searchable-text.ts";
import { firstSentence } from "./sentence.ts";
import { stem } from "./stem.ts";
import { FILLER_WORDS } from "./stop-words.ts";
import { splitWords } from "./text.ts";
import type { ToolIndex } from "./tool-index.ts";
import { distinctHits } from "./twins.ts";
import type { ToolDefinition } from "./types.ts";

export interface HardToFind {
  readonly toolbox: string;
  readonly server: string;
  readonly name: string;
  /** Words of its own that few other tools have. */
  readonly keywords: readonly string[];
}

interface ListedServer {
  readonly toolbox: string;
  readonly server: string;
  readonly tools: readonly ToolDefinition[];
}

/** As many hits as an agent looks at if it asks for more. */
const LIMIT = 10;
const QUERY_CHARS = 200;
const MAX_KEYWORDS = 3;
const MIN_KEYWORD_LENGTH = 3;
/** A word that this share of all tools has, and at least this many, does not distinguish one. */
const COMMON_SHARE = 0.1;
const MIN_COMMON = 3;

/** Asks for each tool in the words of its own purpose, or by its name if it has none. */
export function hardToFind(
  index: ToolIndex,
  servers: readonly ListedServer[],
  maxTools: number,
): HardToFind[] {
  const all = servers.flatMap(({ tools, ...place }) => tools.map((tool) => ({ ...place, tool })));
  return all.slice(0, maxTools).flatMap(({ toolbox, server, tool }) => {
    const purpose = firstSentence(descriptionOf(tool), QUERY_CHARS);
    const query = purpose || splitWords(tool.name).flat().join(" ");
    const isFound = distinctHits((limit) => index.search(query, { limit }), LIMIT).some(
      (hit) =>
        hit.tool.name === tool.name &&
        [hit, ...(hit.also ?? [])].some(
          (place) => place.toolbox === toolbox && place.server === server,
        ),
    );
    return isFound ? [] : [{ toolbox, server, name: tool.name, keywords: keywordsOf(tool, index) }];
  });
}

function keywordsOf(tool: ToolDefinition, index: ToolIndex): string[] {
  const { name, purpose, parameters } = toolText(tool);
  const words = splitWords(`${name}\n${purpose}\n${parameters}`)
    .flat()
    .filter((word) => word.length >= MIN_KEYWORD_LENGTH && !FILLER_WORDS.has(word));
  // One word of each stem, as it is written first.
  const byStem = new Map(words.toReversed().map((word) => [stem(word), word]));
  const common = Math.max(MIN_COMMON, index.size * COMMON_SHARE);
  return Array.from(byStem.values(), (word) => ({ word, rarity: index.rarity(word) }))
    .filter(({ rarity }) => rarity > inverseFrequency(common, index.size))
    .sort((a, b) => b.rarity - a.rarity)
    .slice(0, MAX_KEYWORDS)
    .map(({ word }) => word);
}
