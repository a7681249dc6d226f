import { estimateTokens } from "./estimate-tokens.ts";

/** At most `max` characters on one line, cut at a word where possible. */
export function truncate(text: string, max: number): string {
  return cut(text.replace(/\s+/g, " ").trim(), max);
}

/** Cuts between words where possible, never inside a character; `…` marks the cut. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max < 1) return "";
  const kept = text.slice(0, max - 1);
  const space = kept.lastIndexOf(" ");
  const whole = space > max / 2 ? kept.slice(0, space) : kept;
  // Do not keep half of a surrogate pair.
  return `${whole.replace(/[\s,;:.(–—-]+$/, "").replace(/[\ud800-\udbff]$/, "")}…`;
}

const CHARS_PER_TOKEN = 4;

/** Estimates for other scripts are less certain, so they get a margin. */
const CAUTION = 0.1;
const OTHER_SCRIPT = /[\u0250-\uffff]/g;

/** The same with a limit in tokens: scripts other than Latin take more tokens per character. */
export function truncateToTokens(text: string, maxTokens: number): string {
  let max = Math.floor(maxTokens * CHARS_PER_TOKEN);
  let short = truncate(text, max);
  while (max > 1 && cautiousTokens(short) > maxTokens) {
    max = Math.min(Math.floor(max * 0.9), max - 1);
    short = truncate(text, max);
  }
  return short;
}

/** An estimate that errs on the high side. */
export function cautiousTokens(text: string): number {
  const others = text.match(OTHER_SCRIPT)?.length ?? 0;
  return Math.max(estimateTokens(text) + others * CAUTION, text.length / CHARS_PER_TOKEN);
}
