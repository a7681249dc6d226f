/**
 * How much a word counts in the vector of a tool, by where it occurs. The rest of a description is left out: it
 * has as many words as everything else together, and finds no more tools.
 */
export const MEANING_WEIGHTS = {
  name: 1,
  purpose: 1,
  server: 0.6,
  parameters: 0.2,
  about: 0.1,
} as const;
