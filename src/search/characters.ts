/**
 * Kinds of characters. For ASCII without patterns of Unicode: each takes one to ten milliseconds to compile, and
 * compiling one for a query would take longer than the search.
 */

const UNICODE_LETTER = /^\p{L}$/u;
const UNICODE_DIGIT_OR_MARK = /^[\p{N}\p{M}]$/u;
const MAX_ASCII = 0x7f;

export function isLetter(codePoint: number): boolean {
  if (codePoint > MAX_ASCII) return UNICODE_LETTER.test(String.fromCodePoint(codePoint));
  const lowerCase = codePoint | 0x20;
  return lowerCase >= 0x61 && lowerCase <= 0x7a;
}

/** Whether it is part of a word: a letter, a digit or a mark on a letter. */
export function isWordCharacter(codePoint: number): boolean {
  if (isLetter(codePoint)) return true;
  if (codePoint > MAX_ASCII) return UNICODE_DIGIT_OR_MARK.test(String.fromCodePoint(codePoint));
  return codePoint >= 0x30 && codePoint <= 0x39;
}

export function areLetters(text: string): boolean {
  for (const character of text) if (!isLetter(character.codePointAt(0) as number)) return false;
  return text !== "";
}
