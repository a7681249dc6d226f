import { SOURCE_KEY } from "../servers/script-source.ts";
import { isObject, parseJson } from "../text/json.ts";
import { hiddenCharacters } from "./scan/hidden-characters.ts";

/** The text with this hash, if it is on this machine. */
export type TextOf = (hash: string) => string | undefined;

/** The hash of the source of a saved script, from its pinned definition. */
export function sourceHash(definition: string): string | undefined {
  if (!definition.includes(SOURCE_KEY)) return undefined;
  const value = parseJson(definition);
  const hash = isObject(value) ? value[SOURCE_KEY] : undefined;
  return typeof hash === "string" ? hash : undefined;
}

/** The definition of a tool for people: of a saved script, they want to read the source. */
export function withSource(definition: string | undefined, textOf: TextOf): string | undefined {
  const hash = definition && sourceHash(definition);
  if (hash === undefined || hash === "") return definition;
  const { [SOURCE_KEY]: _hash, ...rest } = parseJson(definition ?? "") as Record<string, unknown>;
  return JSON.stringify({ ...rest, source: textOf(hash) ?? hash });
}

/** What a source hides from its readers, and did not before. */
export function hiddenInSource(
  before: string | undefined,
  after: string,
  textOf: TextOf,
): string[] {
  const textIn = (definition = ""): string => textOf(sourceHash(definition) ?? "") ?? "";
  const had = new Set<string>(hiddenCharacters(textIn(before)));
  return hiddenCharacters(textIn(after)).flatMap((kind) =>
    had.has(kind) ? [] : [`its source contains ${kind}`],
  );
}
