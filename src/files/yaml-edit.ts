import { isMap, isScalar, isSeq } from "yaml";
import type { ParsedNode } from "yaml";

import { SyntaxProblem, withoutValue, withValue } from "./editor.ts";
import { valueAt } from "../text/json.ts";
import type { Editor, KeyPath } from "./editor.ts";
import { styleOf } from "./text-file.ts";
import {
  type Item,
  type Map,
  addLines,
  checked,
  indentOf,
  isBlockMap,
  itemOf,
  lineEnd,
  linesOf,
  read,
  write,
} from "./yaml-layout.ts";

/**
 * Edits YAML block mappings as text. The document API of the parser keeps comments but reformats the
 * whole file; here only the lines of the key in question change. Anything but a plain block mapping is
 * rejected, and every edit is parsed again and compared with the intended value.
 */
export const yaml: Editor = {
  parse: (text) => read(text).value,

  set(text, path, value) {
    const { map, value: before } = read(text);
    if (valueAt(before, path) !== undefined) return yaml.set(yaml.remove(text, path), path, value);
    return checked(insert(text, map, path, value), withValue(before, path, value));
  },

  remove(text, path) {
    const { map, value } = read(text);
    let holder: Map | undefined = map;
    let owner: Item | undefined;
    for (const key of path.slice(0, -1)) {
      owner = holder && itemOf(holder, key);
      holder = isBlockMap(owner?.value) ? owner.value : undefined;
    }
    const item = holder && itemOf(holder, path.at(-1) ?? "");
    if (holder === undefined || item === undefined) {
      if (valueAt(value, path) === undefined) return text;
      throw new SyntaxProblem("it does not use block style (one key per line)");
    }
    const lines = linesOf(text, item);
    let result = text.slice(0, lines.start) + text.slice(lines.end);
    if (holder.items.length === 1 && owner !== undefined) {
      const colon = text.indexOf(":", owner.key.range[1]) + 1;
      result = `${text.slice(0, colon)} {}${result.slice(colon)}`;
    }
    return checked(result, withoutValue(value, path));
  },

  snippet: (path, value) => write(withValue({}, path, value)).trimEnd(),
};

/** Adds a key that does not exist, or is empty, with a value. */
export function insert(text: string, root: Map | undefined, path: KeyPath, value: unknown): string {
  const { eol } = styleOf(text);
  let map = root;
  for (const [depth, key] of path.entries()) {
    const rest = withValue({}, path.slice(depth), value);
    if (map === undefined) return addLines(text, text.length, "", rest, eol);
    const item = itemOf(map, key);
    if (item === undefined) {
      const last = map.items.at(-1);
      const at = last === undefined ? text.length : linesOf(text, last).end;
      return addLines(text, at, indentOf(text, last?.key.range[0] ?? 0), rest, eol);
    }
    if (isBlockMap(item.value)) {
      map = item.value;
      continue;
    }
    if (!isEmpty(item.value))
      throw new SyntaxProblem(`'${key}' is not a mapping in block style (one key per line)`);
    const colon = text.indexOf(":", item.key.range[1]) + 1;
    const [from, to] = item.value?.range ?? [colon, colon];
    const emptied = text.slice(0, colon) + text.slice(from === to ? colon : to);
    const indent = `${indentOf(text, item.key.range[0])}  `;
    const inner = withValue({}, path.slice(depth + 1), value);
    return addLines(emptied, lineEnd(emptied, colon), indent, inner, eol);
  }
  return text;
}

function isEmpty(node: ParsedNode | null): boolean {
  if (node === null) return true;
  if (isScalar(node)) return node.value === null;
  return (isMap(node) || isSeq(node)) && node.items.length === 0;
}
