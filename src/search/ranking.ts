import type { Hit } from "./types.ts";

/** Equal scores are ordered by identifier, so that results do not depend on the order of indexing. */
function precedes(a: Hit, b: Hit): boolean {
  if (a.score !== b.score) return a.score > b.score;
  if (a.toolbox !== b.toolbox) return a.toolbox < b.toolbox;
  if (a.server !== b.server) return a.server < b.server;
  return a.tool.name < b.tool.name;
}

/** Keeps the best `limit` hits in order; faster than sorting all of them. */
export function insertRanked(best: Hit[], hit: Hit, limit: number): void {
  let at = best.length;
  while (at > 0 && precedes(hit, best[at - 1] as Hit)) at--;
  if (at >= limit) return;
  best.splice(at, 0, hit);
  if (best.length > limit) best.pop();
}
