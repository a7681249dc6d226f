/** Splits a query into the steps of a task: "download the page and email it to the team" has two. */

import { MAX_QUERY_LENGTH, meaningfulWords, splitQuery } from "./query-words.ts";

/** Each is searched for. */
const MAX_STEPS = 3;
/** "Translate it" alone does not say enough to be searched for. */
const MIN_STEP_WORDS = 2;
const SEPARATOR = /[;\n!?]+|\.\s|,?\s(?:and then|and|then|afterwards|after that)\s|,\s/i;

/** What a step begins with. Words that are nouns as often, such as "report", would cut sentences apart. */
const ACTIONS: ReadonlySet<string> = new Set(
  (
    "add analyze append archive assign attach book build calculate check clear click clone close commit compare " +
    "compute convert copy create delete deploy describe display download draw edit email execute export extract " +
    "fetch fill find generate get insert install invite launch list locate make merge modify move navigate notify " +
    "open parse plot post print publish push read remove rename reply restart retrieve run save schedule scrape " +
    "search send share show start stop store submit summarize transcribe translate update upload validate " +
    "verify visit write"
  ).split(" "),
);

/** The steps that say enough to be searched for, at most a few; empty if there are not several. */
export function stepsIn(query: string): string[] {
  const steps: string[] = [];
  for (const part of query.slice(0, MAX_QUERY_LENGTH).split(SEPARATOR)) {
    const before = steps.at(-1);
    // "Find" in "find and replace a text" is a step together with what follows.
    const isStep =
      before === undefined || (beginsWithAction(part) && splitQuery(before).length > 1);
    if (isStep) steps.push(part.trim());
    else steps[steps.length - 1] = `${before} ${part.trim()}`;
  }
  const searchable = steps.filter((step) => meaningfulWords(step).length >= MIN_STEP_WORDS);
  return searchable.length > 1 ? searchable.slice(0, MAX_STEPS) : [];
}

function beginsWithAction(part: string): boolean {
  const [first] = meaningfulWords(part);
  return first?.length === 1 && ACTIONS.has(first.join());
}
