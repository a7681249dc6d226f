import { posix, sep } from "node:path";

import { NotRunnable, type Template } from "../offer.ts";

/** Marks a value of the user in a text. A text of the publisher that contains it is refused. */
const INPUT = "\0";

/** A word with a mark for each value of the user, to be looked at. */
export function markedText(word: Template): string {
  return word.map((part) => (typeof part === "string" ? part : INPUT)).join("");
}

/** The word as messages show it. */
export function shownWord(word: Template): string {
  return word.map((part) => (typeof part === "string" ? part : `<${part.input}>`)).join("");
}

/** Whether a backslash is part of a name here, and not a separator. */
const BACKSLASH_IN_NAME = sep === "/";

/** The path in a folder that a text of the publisher means; undefined if it leads out of the folder. */
export function pathInside(text: string, folder: string): string | undefined {
  const path = text.replaceAll("\\", "/");
  const base = folder.replaceAll("\\", "/");
  const isBelow = path === base || path.startsWith(`${base}/`);
  const relative = posix.normalize(isBelow ? `./${path.slice(base.length)}` : path);
  const isBeside = BACKSLASH_IN_NAME && text.startsWith(`${folder}\\`);
  const isOutside =
    isBeside || /^(?:\/|~|[A-Za-z]:|file:)/i.test(relative) || /^\.\.(?:\/|$)/.test(relative);
  return isOutside || text.includes(INPUT) ? undefined : relative;
}

const PARENT = /(?:^|[\\/=])\.\.(?:[\\/]|$)/;

/**
 * Refuses an argument with which the publisher names a path outside of the bundle. Folders of the user
 * (`${HOME}`, a setting) may be named, but nothing beside or above them.
 */
export function checkArgument(word: Template, folder: string, home: string): void {
  const text = markedText(word);
  for (const part of [text, ...valuesIn(text)]) {
    const isOfUser = part.startsWith(INPUT) || pathInside(part, home) !== undefined;
    const isIn = text.includes(INPUT)
      ? !PARENT.test(part) && pathInside(part.replaceAll(INPUT, "_"), folder) !== undefined
      : pathInside(part, folder) !== undefined;
    if (!isIn && !(isOfUser && !PARENT.test(part)))
      throw new NotRunnable(`its argument '${shownWord(word)}' names a path outside of the bundle`);
  }
}

/** What follows the name of an option: `--x=value`, `-Ivalue`, `@value`. */
function valuesIn(text: string): string[] {
  return [/^[^=/\\]+=(.+)$/s, /^-[A-Za-z]([/\\~.].*)$/s, /^@(.+)$/s].flatMap((pattern) => {
    const value = pattern.exec(text)?.[1];
    return value === undefined ? [] : [value];
  });
}
