import { SCRIPT_PREFIX } from "../script-position.ts";

export const SCRIPT_SUFFIX = "\n})";

/** The script as the engine gets it. */
export function wrapped(source: string): string {
  return `${SCRIPT_PREFIX}${withoutFrame(source)}${SCRIPT_SUFFIX}`;
}

/** A script without what is around it in other places, such as a chat: every character stays where it was. */
function withoutFrame(source: string): string {
  const fenced = /^(\s*)```\w*([^\S\n]*\n.*\n\s*)```(\s*)$/s.exec(source);
  if (fenced === null) return withoutHashbang(source);
  const [, before = "", body = "", after = ""] = fenced;
  return `${before}${body}${after}`;
}

/** The first line of a program that a shell can start is a comment, but only at the beginning of a file. */
export function withoutHashbang(source: string): string {
  return source.startsWith("#!") ? `//${source.slice(2)}` : source;
}
