import { jsonShape } from "../text/json-shape.ts";
import { isObject } from "../wire/messages.ts";
import { lineCount } from "./limit.ts";

/** How much of a result is in the answer, and how much the suggested script returns. */
const HEAD_CHARS = 1500;
const MAX_HEAD_JSON = 3000;
const READ_CHARS = 5000;
const MAX_ELEMENTS = 20;
const SHAPE_CHARS = 400;
/** How deep the largest list is searched. */
const MAX_DEPTH = 5;

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/**
 * What the client gets instead of a result: the id first, because clients cut off the end or the
 * middle. `value` is undefined for text that is not JSON.
 */
export function answerFor(id: string, text: string, value: unknown): string {
  const shape =
    value === undefined
      ? `text(${text.length}), ${lineCount(text)} lines`
      : jsonShape(value, SHAPE_CHARS);
  const script = `return ${readOn(`results.${id}`, value)}`;
  return JSON.stringify({
    result: id,
    bytes: Buffer.byteLength(text),
    shape,
    next: `run_script ${JSON.stringify({ script })}`,
    head: headOf(text),
  });
}

/** The start of the text; less of it if most of its characters are escaped in JSON. */
function headOf(text: string): string {
  let head = cut(text, HEAD_CHARS);
  while (JSON.stringify(head).length > MAX_HEAD_JSON) head = cut(head, head.length >> 1);
  return head;
}

/** Does not cut a character of two code units. */
function cut(text: string, length: number): string {
  const head = text.slice(0, length);
  return length < text.length ? head.replace(/[\uD800-\uDBFF]$/, "") : head;
}

/** An expression for the next part of a result, or for some elements of its largest list. */
function readOn(path: string, value: unknown, depth = 0): string {
  if (value === undefined) return `${path}.slice(${HEAD_CHARS}, ${HEAD_CHARS + READ_CHARS})`;
  if (typeof value === "string") return `${path}.slice(0, ${READ_CHARS})`;
  if (Array.isArray(value)) return `${path}.slice(0, ${some(value.length, value)})`;
  if (!isObject(value)) return path;
  if (depth >= MAX_DEPTH) return `JSON.stringify(${path}).slice(0, ${READ_CHARS})`;
  const entries = Object.entries(value).map(([key, member]) => ({
    key,
    member,
    size: size(member),
  }));
  const total = entries.reduce((sum, entry) => sum + entry.size, 0);
  if (total <= READ_CHARS) return path;
  const [largest] = entries.toSorted((a, b) => b.size - a.size);
  if (largest !== undefined && 2 * largest.size > total) {
    const { key, member } = largest;
    const inner = IDENTIFIER.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
    return readOn(inner, member, depth + 1);
  }
  return `Object.entries(${path}).slice(0, ${some(entries.length, value)})`;
}

/** As many elements as fit into what is read at once. */
function some(count: number, value: unknown): number {
  const each = size(value) / Math.max(1, count);
  return Math.max(1, Math.min(MAX_ELEMENTS, Math.floor(READ_CHARS / each)));
}

function size(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    // It is nested too deeply to be written.
    return Infinity;
  }
}
