/**
 * Estimates the number of tokens of a text without a tokenizer, whose tables take megabytes.
 *
 * The weights are fitted to the o200k vocabulary on thousands of tool definitions and descriptions,
 * then rounded. For 95 of 100 such texts the estimate is within 12 % of the true count; sums over
 * many texts are within 3 %.
 */

/** Pieces that a byte-pair vocabulary tends to keep together; a single space joins its word. */
const PIECES =
  /[A-Z]{2,}(?![a-z])|[A-Z]?[a-z\u00c0-\u024f]+|[A-Z]|[0-9]+|[\t-\r ]{2,}|[\t-\r]|[!-/:-@[-`{-~]+|[^ ]/g;

const WORD = 1;
const LETTERS_IN_ONE_WORD_TOKEN = 9;
const ACRONYM = 1.4;
const LETTERS_IN_ONE_ACRONYM_TOKEN = 3;
const FURTHER_LETTER = 0.2;
const THREE_DIGITS = 1.5;
const WHITE_SPACE = 1.1;
const PUNCTUATION = 0.75;
const FURTHER_PUNCTUATION = 0.15;
const LETTER_OF_ANOTHER_ALPHABET = 0.35;
const TYPOGRAPHIC_SIGN = 1.4;
const IDEOGRAPH = 0.7;

export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const piece of text.match(PIECES) ?? []) tokens += tokensOf(piece);
  return Math.ceil(tokens);
}

function tokensOf(piece: string): number {
  const code = piece.charCodeAt(0);
  const { length } = piece;
  if (code > 0x24f) return tokensOfForeign(code);
  if (code <= 0x20) return WHITE_SPACE;
  if (code >= 0x30 && code <= 0x39) return THREE_DIGITS * Math.ceil(length / 3);
  if (isUpperCase(code) && isUpperCase(piece.charCodeAt(1))) {
    return ACRONYM + FURTHER_LETTER * Math.max(0, length - LETTERS_IN_ONE_ACRONYM_TOKEN);
  }
  if (isUpperCase(code) || (code >= 0x61 && code <= 0x7a) || code >= 0xc0) {
    return WORD + FURTHER_LETTER * Math.max(0, length - LETTERS_IN_ONE_WORD_TOKEN);
  }
  return PUNCTUATION + FURTHER_PUNCTUATION * (length - 1);
}

function tokensOfForeign(code: number): number {
  if (code < 0x2000) return LETTER_OF_ANOTHER_ALPHABET;
  return code < 0x2e80 ? TYPOGRAPHIC_SIGN : IDEOGRAPH;
}

function isUpperCase(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}
