/** The same tool in several servers takes one place among the hits, not one for each. */

import { isObject } from "../text/json.ts";
import { descriptionOf } from "./description.ts";
import { onOneLine } from "./sentence.ts";
import { parametersOf } from "./signature.ts";
import type { Hit } from "./types.ts";

/** How many hits are looked at for each line, because some may be the same tool: at first, and at most. */
const HITS_PER_LINE = 4;
const MAX_HITS_PER_LINE = 64;
const FINAL_STOP = /[.。!]+$/;

type Place = Pick<Hit, "toolbox" | "server">;

/** The best `limit` hits of a search without twins. It searches for more if most of what it finds are twins. */
export function distinctHits(find: (limit: number) => readonly Hit[], limit: number): Hit[] {
  for (let perLine = HITS_PER_LINE; ; perLine *= 4) {
    const found = find(limit * perLine);
    const isAll = found.length < limit * perLine || perLine >= MAX_HITS_PER_LINE;
    // With one more than asked for, few twins of the last one are missing.
    const hits = foldTwins(found, limit + 1);
    if (isAll || hits.length > limit) return hits.slice(0, limit);
  }
}

/** The best `limit` hits without twins of a better one, which are named there. */
export function foldTwins(hits: readonly Hit[], limit: number): Hit[] {
  const names = new Map<string, number>();
  for (const { tool } of hits) names.set(tool.name, (names.get(tool.name) ?? 0) + 1);
  const first = new Map<string, { hit: Hit; also: Place[] }>();
  for (const hit of hits) {
    // Descriptions are long; most names occur only once.
    const key = names.get(hit.tool.name) === 1 ? JSON.stringify(hit.tool.name) : keyOf(hit);
    const same = first.get(key);
    if (same === undefined) first.set(key, { hit, also: [] });
    else same.also.push({ toolbox: hit.toolbox, server: hit.server });
  }
  for (const { also } of first.values()) also.sort(byName);
  return Array.from(first.values(), ({ hit, also }) =>
    also.length > 0 ? { ...hit, also } : hit,
  ).slice(0, limit);
}

function byName(a: Place, b: Place): number {
  if (a.toolbox !== b.toolbox) return a.toolbox < b.toolbox ? -1 : 1;
  return a.server < b.server ? -1 : 1;
}

/** Twins have the same name, the same parameters with the same types, and the same description, if only of their servers. */
function keyOf({ tool, about = "" }: Hit): string {
  const parameters = isObject(tool.inputSchema) ? [...parametersOf(tool.inputSchema)] : [];
  const description = onOneLine(descriptionOf(tool) || about).replace(FINAL_STOP, "");
  return JSON.stringify([tool.name, description.toLowerCase(), parameters.sort()]);
}
