/** The first words, and the number of the others. */
export function shortList(words: readonly string[], max: number): string {
  const more = words.length - max;
  return `${words.slice(0, max).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
