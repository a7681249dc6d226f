import { isObject, parseJson } from "../text/json.ts";
import { hiddenCharacters } from "./scan/hidden-characters.ts";
import { phraseSignals } from "./scan/phrases.ts";

const MAX_TITLE_CHARS = 200;
const POINTER = /\bhttps?:\/\/|\b[\w.+-]+@[\w-]+\.\w|(?:~|\$HOME)\//i;

/**
 * Why a change of titles is not cosmetic: titles are for people, but some clients show them to
 * models. Needs only the new definition, because a workbench may not have the approved one.
 */
export function titleReasons(definition: string): string[] {
  return titlesIn(parseJson(definition)).flatMap((title) => [
    ...hiddenCharacters(title).map((kind) => `a title contains ${kind}`),
    ...phraseSignals([title]).map((signal) => `a title ${signal}`),
    ...(POINTER.test(title) ? ["a title contains an address or a path"] : []),
    ...(title.length > MAX_TITLE_CHARS ? ["a title is very long"] : []),
  ]);
}

function titlesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(titlesIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "title" && typeof inner === "string" ? [inner] : titlesIn(inner),
  );
}
