/**
 * Reads a configuration that is plain JSON, which is faster than the tolerant parser. Returns
 * undefined when that parser is needed: for a syntax error, comments, or a key that `JSON.parse`
 * would silently drop.
 */
export function readPlainJson(text: string): { readonly value: unknown } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // `JSON.parse` keeps only the last of several equal keys, so the text has more keys than the value.
  const keys = countKeys(value, 0);
  const complete = keys === countColonsAfterQuotes(text) || keys === countKeysInText(text);
  return complete ? { value } : undefined;
}

/** No sensible configuration is nested deeper, and recursion must end before the stack does. */
export const MAX_NESTING = 64;

/** The number of keys at all levels; NaN, which equals nothing, if a key is dangerous. */
function countKeys(value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth >= MAX_NESTING) return NaN;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item, depth + 1);
    return count;
  }
  for (const key of Object.keys(value)) {
    if (key === "__proto__") return NaN;
    count += 1 + countKeys((value as Readonly<Record<string, unknown>>)[key], depth + 1);
  }
  return count;
}

/**
 * An upper bound for the number of keys, and nearly always exact: it is too high only if a string
 * contains such a colon, like `":8080"`.
 */
function countColonsAfterQuotes(json: string): number {
  let count = 0;
  for (let colon = json.indexOf(":"); colon !== -1; colon = json.indexOf(":", colon + 1)) {
    let before = colon - 1;
    while (" \t\r\n".includes(json.charAt(before)) && before >= 0) before--;
    if (json.charAt(before) === '"') count++;
  }
  return count;
}

/** The exact number: in valid JSON, a string is a key exactly when a colon follows. */
function countKeysInText(json: string): number {
  let count = 0;
  for (const [, colon] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"\s*(:?)/g)) {
    if (colon === ":") count++;
  }
  return count;
}
