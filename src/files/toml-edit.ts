import { isDeepStrictEqual } from "node:util";
import { parse, stringify, TomlError } from "smol-toml";

import { SyntaxProblem, withoutValue, withValue } from "./editor.ts";
import { isObject, valueAt } from "../text/json.ts";
import type { Editor, KeyPath } from "./editor.ts";
import { styleOf } from "./text-file.ts";
import { scanTables } from "./toml-tables.ts";

const BY_HAND = "its layout can only be edited by hand";

/**
 * Adds and removes whole tables (`[a.b]` with `[a.b.c]`) in TOML text. TOML parsers do not keep
 * comments, so tables are located in the text, and removed there or appended. The text is parsed
 * before and after, and an edit with any other effect than the intended one is rejected.
 */
export const toml: Editor = {
  parse: parseToml,

  set(text, path, value) {
    const { eol } = styleOf(text);
    const expected = withValue(parseToml(text), path, value);
    const cut = cutTables(text, path);
    const block = toml.snippet(path, value).replaceAll("\n", eol) + eol;
    if (cut.at !== undefined) {
      return checked(cut.text.slice(0, cut.at) + block + cut.text.slice(cut.at), [expected]);
    }
    const ended = text.endsWith("\n") || text.trim() === "";
    const gap = (ended ? "" : eol) + (text.trim() === "" ? "" : eol);
    return checked(text + gap + block, [expected]);
  },

  remove(text, path) {
    const before = parseToml(text);
    if (valueAt(before, path) === undefined) return text;
    const { text: rest, at = 0 } = cutTables(text, path);
    // The blank line before a table goes with the table.
    const gap = /(?<=\n)\r?\n$/.exec(rest.slice(0, at));
    const alone = rest.slice(at).trim() === "" || /^\r?\n/.test(rest.slice(at));
    const result = gap && alone ? rest.slice(0, gap.index) + rest.slice(at) : rest;
    const expected = withoutValue(before, path);
    // A parent without a header of its own disappears with its last table.
    const holder = path.slice(0, -1);
    const bare = isDeepStrictEqual(valueAt(expected, holder), {}) && withoutValue(expected, holder);
    return checked(result, [expected, bare]);
  },

  snippet: (path, value) => stringify(withValue({}, path, value)).trimEnd(),
};

function parseToml(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return plain(parse(text.replace(/^\uFEFF/, "")));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split("\n")[0]?.replace("Invalid TOML document: ", "") ?? "";
    throw new SyntaxProblem(`not valid TOML (${reason})`, `${error.line}:${error.column}`);
  }
}

/** Converts the parser's tables, which have no prototype, to plain objects for comparison. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

/** The text without the tables at and below a path, and the offset of the first of them. */
function cutTables(text: string, path: KeyPath): { text: string; at: number | undefined } {
  let result = "";
  let kept = 0;
  let at: number | undefined;
  for (const table of scanTables(text)) {
    if (!path.every((key, index) => table.path[index] === key)) continue;
    const between = text.slice(kept, table.start);
    if (at === undefined || between.trim() !== "") result += between;
    at ??= result.length;
    kept = table.end;
  }
  return { text: result + text.slice(kept), at };
}

function checked(result: string, meanings: readonly unknown[]): string {
  try {
    const found = parseToml(result) ?? {};
    if (meanings.some((meaning) => isDeepStrictEqual(found, meaning))) return result;
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
  }
  throw new SyntaxProblem(BY_HAND);
}
