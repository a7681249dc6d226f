/** How much a word counts in the vector of a tool, by where it occurs; also when vectors are trained. */
export const MEANING_WEIGHTS = {
  name: 1,
  purpose: 1,
  server: 0.6,
  parameters: 0.2,
  details: 0.1,
  about: 0.1,
} as const;
