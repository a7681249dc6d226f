/**
 * English suffix stripping after Porter (1980): "connections", "connected" and "connecting" all
 * become "connect". It is applied to both sides of a match, so a stem need not be a real word.
 */

const VOWELS = new Set(["a", "e", "i", "o", "u"]);

/** A `y` counts as a vowel after a consonant: the first in "syzygy" is one, that of "yes" is not. */
function isVowel(word: string, at: number): boolean {
  const letter = word[at] as string;
  if (VOWELS.has(letter)) return true;
  return letter === "y" && at > 0 && !isVowel(word, at - 1);
}

/** How many times a vowel run is followed by a consonant run: roughly, the syllables of a stem. */
function measure(stem: string): number {
  let count = 0;
  let afterVowel = false;
  for (let i = 0; i < stem.length; i++) {
    const vowel = isVowel(stem, i);
    if (afterVowel && !vowel) count++;
    afterVowel = vowel;
  }
  return count;
}

function hasVowel(stem: string): boolean {
  for (let i = 0; i < stem.length; i++) if (isVowel(stem, i)) return true;
  return false;
}

function endsInDoubleConsonant(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word[last] === word[last - 1] && !isVowel(word, last);
}

/** True for "hop" and "fil": stems that lost a final `e` or would double their last letter. */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  return (
    last > 1 &&
    !isVowel(word, last) &&
    isVowel(word, last - 1) &&
    !isVowel(word, last - 2) &&
    !/[wxy]$/.test(word)
  );
}

/** The `y` of "query", which the plural turns into `i`; not that of "deploy" or "sky". */
function endsInSyllabicY(word: string): boolean {
  const last = word.length - 1;
  return word[last] === "y" && isVowel(word, last) && hasVowel(word.slice(0, -1));
}

function withoutPlural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function withoutTense(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const suffix = word.endsWith("ed") ? 2 : word.endsWith("ing") ? 3 : 0;
  if (suffix === 0) return word;
  const stem = word.slice(0, -suffix);
  if (!hasVowel(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsInDoubleConsonant(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

type Rule = readonly [suffix: string, replacement: string];

/** By last letter, because most words end in one that has no rule; longest suffix first. */
type Rules = Readonly<Record<string, readonly Rule[]>>;

const DERIVED: Rules = {
  i: [
    ["biliti", "ble"],
    ["entli", "ent"],
    ["ousli", "ous"],
    ["aliti", "al"],
    ["iviti", "ive"],
    ["enci", "ence"],
    ["anci", "ance"],
    ["alli", "al"],
    ["logi", "log"],
    ["bli", "ble"],
    ["eli", "e"],
  ],
  l: [
    ["ational", "ate"],
    ["tional", "tion"],
  ],
  m: [["alism", "al"]],
  n: [
    ["ization", "ize"],
    ["ation", "ate"],
  ],
  r: [
    ["izer", "ize"],
    ["ator", "ate"],
  ],
  s: [
    ["iveness", "ive"],
    ["fulness", "ful"],
    ["ousness", "ous"],
  ],
};

const ADJECTIVAL: Rules = {
  e: [
    ["icate", "ic"],
    ["ative", ""],
    ["alize", "al"],
  ],
  i: [["iciti", "ic"]],
  l: [
    ["ical", "ic"],
    ["ful", ""],
  ],
  s: [["ness", ""]],
};

const RESIDUAL =
  /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|(?<=[st])ion|al|er|ic|ou)$/;

function replaceSuffix(word: string, rules: Rules): string {
  for (const [suffix, replacement] of rules[word.at(-1) as string] ?? []) {
    if (!word.endsWith(suffix)) continue;
    const stem = word.slice(0, -suffix.length);
    return measure(stem) > 0 ? stem + replacement : word;
  }
  return word;
}

function withoutResidual(word: string): string {
  const found = RESIDUAL.exec(word);
  if (found === null) return word;
  const stem = word.slice(0, found.index);
  return measure(stem) > 1 ? stem : word;
}

function tidyEnd(word: string): string {
  let stem = word;
  if (stem.endsWith("e")) {
    const shorter = stem.slice(0, -1);
    const size = measure(shorter);
    if (size > 1 || (size === 1 && !endsShort(shorter))) stem = shorter;
  }
  return stem.endsWith("ll") && measure(stem) > 1 ? stem.slice(0, -1) : stem;
}

/** The stem of a lower-case word; anything that is not plain `a`–`z` is returned as it is. */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let result = withoutTense(withoutPlural(word));
  if (endsInSyllabicY(result)) result = `${result.slice(0, -1)}i`;
  result = replaceSuffix(result, DERIVED);
  result = replaceSuffix(result, ADJECTIVAL);
  return tidyEnd(withoutResidual(result));
}
