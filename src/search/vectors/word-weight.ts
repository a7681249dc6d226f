/** Words of long manuals: there are many of them, and they say little about the purpose of a tool. */
const MIN_WEIGHT = 0.2;

/** How much a word counts in the vector of a tool, from its weight in the ranking by words; 0 for most words of a long text. */
export function wordWeight(weight: number): number {
  return weight < MIN_WEIGHT ? 0 : weight * Math.sqrt(weight);
}
