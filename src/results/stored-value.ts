import { isDeepStrictEqual } from "node:util";

import { elementSpans, membersOf, withMembers } from "../wire/members.ts";
import { isObject } from "../wire/messages.ts";
import { editText } from "../wire/splice.ts";
import { type ResultLimit, exceeds } from "./limit.ts";

/** What is stored of a result, and what is left of it. */
export interface Separated {
  /** The text that is stored. */
  readonly text: string;
  /** Its value if it is JSON; undefined for other text. */
  readonly value: unknown;
  /** The result with this text block in place of what is stored, as JSON. */
  resultWith(block: string): string;
}

/**
 * Separates the text of a result from the rest, which stays in the answer: media, links, blocks with
 * members other than a text, and all other members of the result. Undefined if the result does not
 * exceed the limit, or must not be changed.
 *
 * What is stored is the text block; of several, the list of their texts. Structured content that only
 * repeats the text is dropped; any other is stored together with the text.
 *
 * `result` is the value of `resultText`.
 */
export function separateText(
  resultText: string,
  result: unknown,
  limit: ResultLimit,
): Separated | undefined {
  if (!isObject(result) || result["isError"] === true) return undefined;
  const { resultType, content = [], structuredContent: structured } = result;
  if (resultType !== undefined && resultType !== "complete") return undefined;
  if (!Array.isArray(content)) return undefined;
  const texts = content.filter(isPlainText).map(({ text }) => text);
  // The text may have megabytes, so its members are measured only once.
  const members = membersOf(resultText);
  const span = members?.get("structuredContent");
  const structuredText = span && resultText.slice(span.start, span.end);
  const isLarge =
    exceeds(limit, texts) || (structuredText !== undefined && exceeds(limit, [structuredText]));
  if (!isLarge) return undefined;
  const resultWith = (block: string): string => {
    const place = members?.get("content");
    const others =
      place === undefined || texts.length === content.length
        ? []
        : [...elementSpans(resultText, place.start)]
            .filter((_, i) => !isPlainText(content[i]))
            .map(({ start, end }) => resultText.slice(start, end));
    const blocks = `[${[block, ...others].join(",")}]`;
    const edits = [
      ...(place === undefined ? [] : [{ ...place, text: blocks }]),
      ...(span === undefined ? [] : [{ ...span, text: "null" }]),
    ];
    const small = editText(
      resultText,
      edits.toSorted((one, other) => one.start - other.start),
    );
    if (place !== undefined && span === undefined) return small;
    return withMembers(small, {
      ...(place === undefined && { content: blocks }),
      structuredContent: undefined,
    });
  };
  return { ...storedOf(texts, structured, structuredText), resultWith };
}

interface PlainText {
  readonly type: "text";
  readonly text: string;
}

function isPlainText(block: unknown): block is PlainText {
  if (!isObject(block) || block["type"] !== "text" || typeof block["text"] !== "string")
    return false;
  return Object.keys(block).length === 2;
}

function storedOf(
  texts: readonly string[],
  structured: unknown,
  structuredText: string | undefined,
): { text: string; value: unknown } {
  const [only] = texts;
  if (structuredText === undefined)
    return texts.length === 1 && only !== undefined ? read(only) : written(texts);
  if (texts.length === 0 || (texts.length === 1 && only === structuredText))
    return { text: structuredText, value: structured };
  const single = texts.length === 1 && only !== undefined ? read(only) : undefined;
  if (single !== undefined && isCopy(structured, single)) return single;
  return {
    text: `{"structuredContent":${structuredText},"content":${JSON.stringify(texts)}}`,
    value: { structuredContent: structured, content: texts },
  };
}

/** Whether structured content has nothing that the text does not have. */
function isCopy(structured: unknown, { text, value }: { text: string; value: unknown }): boolean {
  const copies = isObject(structured) ? Object.values(structured) : [];
  if (copies.length === 1 && copies[0] === text) return true;
  return value !== undefined && isEqual(structured, value);
}

function isEqual(one: unknown, other: unknown): boolean {
  try {
    return isDeepStrictEqual(one, other);
  } catch {
    // The values are nested too deeply to be compared.
    return false;
  }
}

function read(text: string): { text: string; value: unknown } {
  return { text, value: jsonIn(text) };
}

/** The value of a text that is JSON; undefined for other text, and for a single number or word. */
export function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function written(texts: readonly string[]): { text: string; value: unknown } {
  return { text: JSON.stringify(texts), value: texts };
}
