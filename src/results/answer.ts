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
/** An object with more members is read as a map: they are not compared. */
const MAX_COMPARED = 1000;
/** How many members of a value are measured, in all and at each place. */
const SIZE_WORK = 2000;
const MAX_SAMPLES = 50;

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** What is known about a stored result. */
export interface StoredAnswer {
  readonly id: string;
  readonly text: string;
  /** Undefined for text that is not JSON. */
  readonly value: unknown;
  /** Whether a script has the memory to parse it. */
  readonly fits: boolean;
}

/**
 * What the client gets instead of a result: the id first, because clients cut off the end or the
 * middle.
 */
export function answerFor({ id, text, value, fits }: StoredAnswer): string {
  const shape =
    value === undefined
      ? `text(${text.length}), ${lineCount(text)} lines`
      : jsonShape(value, SHAPE_CHARS);
  const head = headOf(text);
  const from = head.length;
  const next = `slice(${from}, ${from + cut(text.slice(from), READ_CHARS).length})`;
  const expression =
    value === undefined
      ? `results.${id}.${next}`
      : fits
        ? readOn(`results.${id}`, value)
        : `results.text("${id}").${next}`;
  return JSON.stringify({
    result: id,
    bytes: Buffer.byteLength(text),
    shape,
    next: `run_script ${JSON.stringify({ script: `return ${expression}` })}`,
    head,
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
  return length < text.length && isPair(text, length - 1) ? head.slice(0, -1) : head;
}

function isPair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(at, at + 2));
}

/** An expression for the first part of a value, or for some elements of its largest list. */
function readOn(path: string, value: unknown, depth = 0): string {
  if (typeof value === "string") return `${path}.slice(0, ${cut(value, READ_CHARS).length})`;
  if (Array.isArray(value)) return `${path}.slice(0, ${some(value.length, roughSize(value))})`;
  if (!isObject(value)) return path;
  // An object may have so many keys that listing them takes long.
  const keys = Object.keys(value);
  const size = roughSize(value, SIZE_WORK, keys);
  if (size <= READ_CHARS) return path;
  if (depth >= MAX_DEPTH) return `JSON.stringify(${path}).slice(0, ${READ_CHARS})`;
  const count = some(keys.length, size);
  // A list of all its entries could need more memory than the object.
  if (keys.length > MAX_COMPARED)
    return `Object.keys(${path}).slice(0, ${count}).map((key) => [key, ${path}[key]])`;
  const members = keys.map((key) => ({ key, chars: roughSize(value[key]) }));
  const total = members.reduce((sum, { chars }) => sum + chars, 0);
  const [largest] = members.toSorted((a, b) => b.chars - a.chars);
  if (largest !== undefined && 2 * largest.chars > total) {
    const { key } = largest;
    const inner = IDENTIFIER.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
    return readOn(inner, value[key], depth + 1);
  }
  return `Object.entries(${path}).slice(0, ${count})`;
}

/** As many elements as fit into what is read at once. */
function some(count: number, size: number): number {
  const each = size / Math.max(1, count);
  return Math.max(1, Math.min(MAX_ELEMENTS, Math.floor(READ_CHARS / each)));
}

/** The length of a value as JSON, from a sample of its members. The work is bounded. */
function roughSize(value: unknown, work = SIZE_WORK, knownKeys?: readonly string[]): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return String(value).length;
  const keys = Array.isArray(value) ? undefined : (knownKeys ?? Object.keys(value));
  const length = keys?.length ?? (value as unknown[]).length;
  const count = Math.min(length, MAX_SAMPLES, work);
  let sum = 0;
  for (let i = 0; i < count; i++) {
    // The first and the last member, and others evenly between them.
    const at = count > 1 ? Math.round((i * (length - 1)) / (count - 1)) : 0;
    const key = keys?.[at];
    const member = (value as Record<string | number, unknown>)[key ?? at];
    sum += (key === undefined ? 1 : key.length + 4) + roughSize(member, Math.floor(work / count));
  }
  return 2 + (count === 0 ? length : (sum / count) * length);
}
