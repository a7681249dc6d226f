/** One-line summaries of texts that servers write at any length and in any markup. */

import { cut } from "../text/truncate.ts";
import { withoutPreamble } from "./preamble.ts";
import { purposeIn } from "./purpose.ts";

const SENTENCE_END = /[.!?](?=\s|$)|[。！？]|\n\s*\n/g;
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|incl|approx|resp|no|dr|mr|mrs|st)\.$/i;
const MAX_ABBREVIATION_LENGTH = 10;
/** Summaries are short, so only the beginning is read. */
const MAX_BEGINNING_LENGTH = 2_000;

/** The end of the first sentence of a text; its length if it is a single sentence. */
export function sentenceEnd(text: string): number {
  for (const match of text.matchAll(SENTENCE_END)) {
    const end = match.index + match[0].length;
    const ending = text.slice(Math.max(0, end - MAX_ABBREVIATION_LENGTH), end);
    if (!ABBREVIATION.test(ending)) return end;
  }
  return text.length;
}

/**
 * The first sentence about the purpose as plain text on one line, at most `maxChars` long, `…`
 * marking a cut.
 */
export function firstSentence(text: string, maxChars: number): string {
  const stated = withoutPreamble(text.slice(0, MAX_BEGINNING_LENGTH));
  const plain = withoutMarkup(purposeIn(stated)).trim();
  const sentence = onOneLine(plain.slice(0, sentenceEnd(plain)));
  return cut(sentence.replace(/[.。:]$/, ""), maxChars);
}

/** Line breaks and invisible characters would let the text of one server fake another line. */
export function onOneLine(text: string): string {
  return text.replace(/[\p{White_Space}\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
}

function withoutMarkup(text: string): string {
  return text
    .replace(/<\/?[a-z][^<>]{0,200}>/gi, " ")
    .replace(/!?\[([^\][]{0,200})\]\([^()]{0,500}\)/g, "$1")
    .replace(/^\s{0,3}(?:#{1,6}|>|[-*+]|\d{1,2}[.)])\s+/gm, "")
    .replace(/```\w*|[*`]+|(?<!\w)_+|_+(?!\w)/g, "");
}
