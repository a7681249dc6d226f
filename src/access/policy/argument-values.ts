import { type WorkbenchError, workbenchError } from "../../errors.ts";
import { parseJson } from "../../text/json.ts";
import { inexactKey, shapeOf } from "../../wire/exact-keys.ts";
import { elementSpans, scanMembers, valueEnd } from "../../wire/members.ts";
import { skipSpace } from "../../wire/strict-json.ts";

/**
 * The values at a path of arguments, read from the text that is sent: texts decoded, numbers and
 * booleans as written, undefined for everything else. A list contributes each of its elements, and so
 * does one in a text, next to the text itself: some servers read it. Throws INVALID_PARAMETERS if it is
 * unclear which value a server would take.
 */
export function valuesAt(text: string, path: readonly string[]): (string | undefined)[] {
  const values: (string | undefined)[] = [];
  collect(text, 0, path, 0, values);
  return values;
}

function collect(
  text: string,
  from: number,
  path: readonly string[],
  depth: number,
  values: (string | undefined)[],
): void {
  const at = skipSpace(text, from);
  if (text[at] === "[") {
    for (const { start } of elementSpans(text, at)) collect(text, start, path, depth, values);
    return;
  }
  const key = path[depth];
  if (key === undefined) {
    const value = scalarAt(text, at);
    values.push(value);
    if (value !== undefined && text[at] === '"') values.push(...listIn(value));
  } else if (text[at] !== "{") {
    if (JSON_IN_TEXT.test(scalarAt(text, at) ?? ""))
      throw unclear(`'${key}' would be inside a text that contains JSON`);
    values.push(undefined);
  } else {
    const inexact = inexactKey(text, shapeOf([key]), at);
    if (inexact !== undefined) throw unclear(inexact.reason);
    let value = -1;
    scanMembers(text, at, (name, start) => {
      if (name === key) value = start;
      return undefined;
    });
    if (value < 0) values.push(undefined);
    else collect(text, value, path, depth + 1, values);
  }
}

/** Some servers read it as if it were written without the quotes. */
const JSON_IN_TEXT = /^\s*[{[]/;

const LIST_IN_TEXT = /^\s*\[/;

/** The values of a list that is written as a text. */
function listIn(text: string): (string | undefined)[] {
  const list = LIST_IN_TEXT.test(text) ? parseJson(text) : undefined;
  if (!Array.isArray(list)) return [];
  try {
    return list.flat(Infinity).flatMap((value: unknown) => {
      if (typeof value === "string") return [value, ...listIn(value)];
      const isScalar = typeof value === "number" || typeof value === "boolean";
      return [isScalar ? String(value) : undefined];
    });
  } catch {
    throw unclear("a text contains a list that is nested too deeply");
  }
}

function unclear(reason: string): WorkbenchError {
  return workbenchError("INVALID_PARAMETERS", { reason: `arguments: ${reason}` });
}

function scalarAt(text: string, at: number): string | undefined {
  if (text[at] === "{") return undefined;
  const written = text.slice(at, valueEnd(text, at));
  if (written === "" || written === "null") return undefined;
  return written.startsWith('"') ? (JSON.parse(written) as string) : written;
}
