import { isObject, parseJson } from "../text/json.ts";
import type { DiffPart } from "../text/sequence-diff.ts";
import { wordDiff } from "./word-diff.ts";

/** A value inside a definition that differs, such as `inputSchema.properties.path.description`. */
export interface ValueChange {
  readonly path: string;
  readonly parts: readonly DiffPart[];
}

/** The values of a definition that differ, word by word. */
export function definitionChanges(
  before: string | undefined,
  after: string | undefined,
): ValueChange[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  const paths = new Set([...old.keys(), ...now.keys()]);
  return [...paths].flatMap((path) => {
    const [a = "", b = ""] = [old.get(path), now.get(path)];
    return a === b ? [] : [{ path, parts: wordDiff(a, b) }];
  });
}

/** The values of a JSON text by their path; parts that were added as a whole stay together. */
function leavesOf(text: string | undefined): Map<string, string> {
  const leaves = new Map<string, string>();
  const visit = (value: unknown, path: string): void => {
    if (isObject(value) && Object.keys(value).length > 0)
      for (const [key, inner] of Object.entries(value))
        visit(inner, path === "" ? key : `${path}.${key}`);
    else leaves.set(path, typeof value === "string" ? value : JSON.stringify(value));
  };
  if (text !== undefined) visit(parseJson(text), "");
  return leaves;
}
