/** Splits a query into words as a person means them: without what an apostrophe or a dot cuts off. */

import { areLetters, isLetter, isWordCharacter } from "./characters.ts";
import { FILLER_WORDS } from "./stop-words.ts";
import { fold, type Word, wordsOfRun } from "./text.ts";

export const MAX_QUERY_LENGTH = 2_000;
const APOSTROPHES = "'’ʼ";
/** What stands between the letters of "e.g.", "l'API" and "and/or"-like writing, which are not words. */
const BETWEEN_LETTERS = `${APOSTROPHES}./&`;
/** The same with that of "file(s)". */
const BEFORE_LETTER = `${BETWEEN_LETTERS}(`;
const IN_NAMES = "_.-";
/** The end of "today's", "we've", "they're". */
const CONTRACTED: ReadonlySet<string> = new Set(["s", "re", "ve", "ll", "d", "m"]);

/** A run of letters and digits in a query. */
interface Run {
  readonly text: string;
  readonly words: readonly Word[];
  /** What is between it and the run before. */
  readonly gap: string;
}

export interface QueryWords {
  /** As they are written. */
  readonly written: readonly Word[];
  /** As they are meant. */
  readonly meant: readonly Word[];
  /** Keys (see `nameKey`) of compound words, which may be names of tools. */
  readonly names: ReadonlySet<string>;
}

/** Only the beginning of a query is read, however long it is. */
export function queryWords(query: string): QueryWords {
  const runs = runsIn(query);
  return { written: wordsOf(runs), meant: wordsOf(meantRuns(runs)), names: compoundNames(runs) };
}

/** The words of a query as they are meant. */
export function splitQuery(query: string): readonly Word[] {
  return wordsOf(meantRuns(runsIn(query)));
}

export function isFiller([first = "", ...more]: Word): boolean {
  return more.length === 0 && FILLER_WORDS.has(first);
}

/** The words of a query that say what is searched for. */
export function meaningfulWords(query: string): readonly Word[] {
  return splitQuery(query).filter((word) => !isFiller(word));
}

function wordsOf(runs: readonly Run[]): Word[] {
  return runs.flatMap(({ words }) => words);
}

function makeRun(text: string, gap: string): Run {
  return { text, words: wordsOfRun(text), gap };
}

function runsIn(query: string): Run[] {
  const text = fold(query.slice(0, MAX_QUERY_LENGTH));
  const runs: Run[] = [];
  let end = 0;
  for (let at = 0; at < text.length;) {
    const start = at;
    while (at < text.length && isInRun(text, at)) at += lengthAt(text, at);
    if (at === start) {
      at += lengthAt(text, at);
      continue;
    }
    runs.push(makeRun(text.slice(start, at), text.slice(end, start)));
    end = at;
  }
  return runs;
}

/** One of the apostrophes counts as a letter in Unicode. */
function isInRun(text: string, at: number): boolean {
  const codePoint = text.codePointAt(at) as number;
  return isWordCharacter(codePoint) && !APOSTROPHES.includes(text.charAt(at));
}

function lengthAt(text: string, at: number): number {
  return (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
}

function meantRuns(runs: readonly Run[]): Run[] {
  return withoutFragments(withoutContractions(withJoinedLetters(runs)));
}

/** "e-mails", "x-ray": one word, although its first letter stands apart. */
function withJoinedLetters(runs: readonly Run[]): Run[] {
  const joined: Run[] = [];
  for (let i = 0; i < runs.length; i++) {
    const run = runs[i] as Run;
    const next = runs[i + 1];
    const isJoined =
      next?.gap === "-" &&
      next.text.length > 1 &&
      isOneLetter(run) &&
      areLetters(next.text.slice(0, 2)) &&
      !/[_-]$/.test(run.gap);
    if (!isJoined) {
      joined.push(run);
      continue;
    }
    // Written as a compound of two parts.
    const rest = next.text.charAt(0).toUpperCase() + next.text.slice(1);
    joined.push(makeRun(run.text.toLowerCase() + rest, run.gap));
    i++;
  }
  return joined;
}

/** "today's" becomes "today"; "don't" loses only its apostrophe. */
function withoutContractions(runs: readonly Run[]): Run[] {
  const kept: Run[] = [];
  for (const run of runs) {
    const before = kept.at(-1);
    const isEnd = before !== undefined && isOneOf(APOSTROPHES, run.gap) && endsInLetter(before);
    const ending = isEnd ? run.text.toLowerCase() : "";
    if (before !== undefined && ending === "t")
      kept[kept.length - 1] = makeRun(before.text + run.text, before.gap);
    else if (!CONTRACTED.has(ending)) kept.push(run);
  }
  return kept;
}

function withoutFragments(runs: readonly Run[]): Run[] {
  return runs.filter((run, i) => {
    if (!isOneLetter(run)) return true;
    const [before, next] = [runs[i - 1], runs[i + 1]];
    const isFirst =
      next !== undefined &&
      isOneOf(BETWEEN_LETTERS, next.gap) &&
      areLetters(next.text.slice(0, lengthAt(next.text, 0)));
    const isLast = before !== undefined && isOneOf(BEFORE_LETTER, run.gap) && endsInLetter(before);
    return !isFirst && !isLast;
  });
}

/** Only compounds count: a tool called `search` is not mentioned by every query with that word. */
function compoundNames(runs: readonly Run[]): Set<string> {
  const names = new Set<string>();
  for (const parts of wordsOf(runs)) if (parts.length > 1) names.add(parts.join(""));
  for (let from = 0, to = 1; from < runs.length; from = to++) {
    while (to < runs.length && isOneOf(IN_NAMES, (runs[to] as Run).gap)) to++;
    if (to - from > 1) names.add(wordsOf(runs.slice(from, to)).flat().join(""));
  }
  return names;
}

function isOneOf(characters: string, gap: string): boolean {
  return gap.length === 1 && characters.includes(gap);
}

function isOneLetter({ text }: Run): boolean {
  return text.length === lengthAt(text, 0) && areLetters(text);
}

function endsInLetter({ text }: Run): boolean {
  return isLetter(text.charCodeAt(text.length - 1));
}
