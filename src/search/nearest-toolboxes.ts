/** The toolboxes closest to a query that no tool matches. */

import { MAX_QUERY_LENGTH } from "./query-words.ts";
import { splitWords } from "./text.ts";
import type { ToolboxInfo } from "./types.ts";

/** Compares three-letter pieces, which tolerates endings and typos and always gives an order. */
function pieces(text: string): Set<string> {
  const found = new Set<string>();
  for (const word of splitWords(text).flat()) {
    const padded = ` ${word} `;
    for (let i = 0; i + 3 <= padded.length; i++) found.add(padded.slice(i, i + 3));
  }
  return found;
}

/** The best `limit` toolboxes; equally close ones keep their order. */
export function nearestToolboxes(
  query: string,
  toolboxes: readonly ToolboxInfo[],
  limit: number,
): ToolboxInfo[] {
  const wanted = pieces(query.slice(0, MAX_QUERY_LENGTH));
  const ranked = toolboxes.map((toolbox) => {
    const offered = pieces(
      [toolbox.name, toolbox.description ?? "", ...(toolbox.keywords ?? [])].join("\n"),
    );
    let shared = 0;
    for (const piece of wanted) if (offered.has(piece)) shared++;
    return { toolbox, shared };
  });
  ranked.sort((a, b) => b.shared - a.shared);
  return ranked.slice(0, limit).map(({ toolbox }) => toolbox);
}
