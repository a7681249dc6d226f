const PLAIN = /^[\w@%+=:,./~-]+$/;

/** Words, quoted so that they can be pasted into a shell. */
export function shellWords(words: readonly string[]): string {
  return words
    .map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(" ");
}
