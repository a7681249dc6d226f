import { isNode, isSeq } from "yaml";
import type { ParsedNode, YAMLSeq } from "yaml";

import { isObject } from "../text/json.ts";
import { type Editor, type KeyPath, SyntaxProblem } from "./editor.ts";
import { byName, entryKeys } from "./named-entries.ts";
import { styleOf } from "./text-file.ts";
import { insert, yaml } from "./yaml-edit.ts";
import {
  addLines,
  checked,
  indentOf,
  itemOf,
  lastOf,
  lineEnd,
  read,
  wholeLines,
  write,
} from "./yaml-layout.ts";

/**
 * Edits a YAML list of entries with a `name` under a top-level key, as if it were a mapping from names
 * to entries. Like `yaml`, it changes only the lines of the entry in question.
 */
export function namedList(key: string): Editor {
  const nameIn = ([first, name, ...rest]: KeyPath): string | undefined =>
    first === key && rest.length === 0 ? name : undefined;

  const remove = (text: string, path: KeyPath): string => {
    const name = nameIn(path);
    const { list, before } = listIn(text, key);
    const index = name === undefined ? -1 : entryKeys(list).indexOf(name);
    if (name === undefined || !isObject(before)) return yaml.remove(text, path);
    if (index === -1) return text;
    const others = list.filter((_, at) => at !== index);
    return checked(cutItem(text, key, index), { ...before, [key]: others });
  };

  return {
    parse(text) {
      const { value } = read(text);
      if (!isObject(value) || !Array.isArray(value[key])) return value;
      return { ...value, [key]: byName(value[key]) };
    },

    set(text, path, value) {
      const name = nameIn(path);
      if (name === undefined) return yaml.set(text, path, value);
      const cleared = remove(text, path);
      const { list, before } = listIn(cleared, key);
      const rest = isObject(before) ? before : {};
      return checked(addItem(cleared, key, value), { ...rest, [key]: [...list, value] });
    },

    remove,

    snippet: (path, value) =>
      nameIn(path) === undefined ? yaml.snippet(path, value) : write({ [key]: [value] }).trimEnd(),
  };
}

interface ListIn {
  readonly list: readonly unknown[];
  readonly before: unknown;
}

function listIn(text: string, key: string): ListIn {
  const { value } = read(text);
  const found = isObject(value) ? (value[key] ?? []) : [];
  if (!Array.isArray(found)) throw new SyntaxProblem(`'${key}' is not a list`);
  return { list: found, before: value };
}

/** The list with one entry per line; undefined if it is missing or empty. */
function blockList(text: string, key: string): YAMLSeq<ParsedNode> | undefined {
  const { map } = read(text);
  const node = map && itemOf(map, key)?.value;
  if (!isSeq<ParsedNode>(node) || node.items.length === 0) return undefined;
  if (node.flow === true)
    throw new SyntaxProblem(`'${key}' is not a list in block style (one entry per line)`);
  return node;
}

function addItem(text: string, key: string, value: unknown): string {
  const list = blockList(text, key);
  if (list === undefined) return insert(text, read(text).map, [key], [value]);
  const last = list.items.at(-1);
  const at = lineEnd(text, isNode(last) ? lastOf(last) : 0);
  return addLines(text, at, indentOf(text, list.range?.[0] ?? 0), [value], styleOf(text).eol);
}

function cutItem(text: string, key: string, index: number): string {
  const list = blockList(text, key);
  const item = list?.items[index];
  if (list === undefined || !isNode(item)) return text;
  const dash = text.lastIndexOf("-", item.range[0] - 1);
  const lines = wholeLines(text, dash, lastOf(item));
  const result = text.slice(0, lines.start) + text.slice(lines.end);
  if (list.items.length > 1) return result;
  const { map } = read(text);
  const owner = map && itemOf(map, key);
  const colon = text.indexOf(":", owner?.key.range[1] ?? 0) + 1;
  return `${text.slice(0, colon)} []${result.slice(colon)}`;
}
