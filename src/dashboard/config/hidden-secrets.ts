import { secretsInText } from "../../secrets/find.ts";

/** The text of a configuration without the secrets in it, and how to put them back. */
export interface HiddenText {
  readonly text: string;
  /** The text with the secrets that belong to the marks in it. */
  restore(text: string): string;
}

const MIN_CHARS = 4;

/** Replaces secrets by marks such as `«secret 1»`. A mark that is kept, anywhere, keeps the secret. */
export function hideSecrets(text: string, known: Iterable<string>): HiddenText {
  const found = text.split("\n").flatMap((line) => secretsInText(line, "", "fine"));
  const values = new Set([...known, ...found.map(({ value }) => value)]);
  // As they are written in JSON; a longer one may contain a shorter one.
  const written = [...values]
    .filter((value) => value.length >= MIN_CHARS)
    .map((value) => (text.includes(value) ? value : JSON.stringify(value).slice(1, -1)))
    .filter((value) => text.includes(value))
    .sort((a, b) => b.length - a.length);
  const marks = new Map<string, string>();
  let hidden = text;
  let number = 0;
  for (const value of new Set(written)) {
    // A part of a longer one that is hidden already.
    if (!hidden.includes(value)) continue;
    let mark = "";
    do mark = `«secret ${++number}»`;
    while (text.includes(mark));
    marks.set(mark, value);
    hidden = hidden.replaceAll(value, () => mark);
  }
  return {
    text: hidden,
    restore: (edited) => edited.replaceAll(/«secret \d+»/g, (mark) => marks.get(mark) ?? mark),
  };
}
