/**
 * The shape of parsed JSON in one short line for a model:
 * `{total:number, rows:8000×{id:number, title?:string, body:text(480)|string}}`.
 *
 * The values are untrusted. The work, the depth and the length are bounded, and no value is shown. Keys
 * may be data too: the keys of an object that looks like a map are left out, as in `{[key]:number}`.
 */

import { tokensIn } from "../secrets/patterns.ts";
import { hasUnseen } from "./visible.ts";

export interface ShapeOptions {
  readonly maxChars?: number;
  /** `sizes` shows lengths, `8000×string`; without it, the text fits other values of the same kind. */
  readonly sizes?: boolean;
}

type Kind = "number" | "boolean" | "null" | "string";

/** What is known about the values at one place. */
export interface Shape {
  count: number;
  readonly kinds: Set<Kind>;
  /** The length of the longest text; 0 if all strings are short. */
  text: number;
  /** The objects whose fields were read. */
  objects: number;
  /** Whether there are objects, or fields of them, that were not read. */
  hasUnread: boolean;
  readonly fields: Map<string, Shape>;
  isMap: boolean;
  arrays: number;
  readonly lengths: [min: number, max: number];
  elements: Shape | undefined;
}

const DEFAULT_MAX_CHARS = 400;
const MAX_DEPTH = 8;
/** A measure of the values that are read, and what it takes to read one with members. */
const WORK = 2000;
const MIN_WORK = 4;
const MAX_ELEMENTS = 24;
const MAX_FIELDS = 48;
/** An object with more keys is a map if its values are alike. */
const MAX_FIELDS_OF_ONE_KIND = 24;
const MIN_TEXT_CHARS = 200;
const MAX_KEY_CHARS = 40;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
/** Ids, numbers, paths, addresses, and sentences. */
const DATA = /^\d+$|\d{5}|[\da-f]{8}-|[/\\]|\S@|:\/\/| .* /i;
const MORE = "…";

/** How many fields are shown at how many levels, from generous to minimal. */
const LEVELS: readonly (readonly [depth: number, fields: number])[] = [
  [MAX_DEPTH, MAX_FIELDS],
  [5, 24],
  [4, 16],
  [4, 10],
  [3, 8],
  [2, 12],
  [2, 6],
  [1, 12],
  [1, 6],
  [1, 3],
  [0, 0],
];

/** Whether a key can be written without quotes. */
export function isIdentifier(key: string): boolean {
  return IDENTIFIER.test(key);
}

/** The shape of one value, in at most `maxChars` characters. */
export function jsonShape(value: unknown, maxChars = DEFAULT_MAX_CHARS): string {
  const shape = newShape();
  addToShape(shape, value);
  return shapeText(shape, { maxChars, sizes: true });
}

export function newShape(): Shape {
  return {
    count: 0,
    kinds: new Set(),
    text: 0,
    objects: 0,
    hasUnread: false,
    fields: new Map(),
    isMap: false,
    arrays: 0,
    lengths: [Infinity, 0],
    elements: undefined,
  };
}

/** Adds a value to a shape. Of long arrays and large objects it reads a sample. */
export function addToShape(shape: Shape, value: unknown): void {
  add(shape, value, 0, WORK);
}

/** `work` is shared by the members of a value, so that a large one does not hide the others. */
function add(shape: Shape, value: unknown, depth: number, work: number): void {
  shape.count++;
  if (Array.isArray(value)) addArray(shape, value, depth, work);
  else if (typeof value === "object" && value !== null) addObject(shape, value, depth, work);
  else if (typeof value === "string" && value.length >= MIN_TEXT_CHARS)
    shape.text = Math.max(shape.text, value.length);
  else shape.kinds.add(kindOf(value));
}

function addArray(shape: Shape, array: readonly unknown[], depth: number, work: number): void {
  shape.arrays++;
  shape.lengths[0] = Math.min(shape.lengths[0], array.length);
  shape.lengths[1] = Math.max(shape.lengths[1], array.length);
  if (array.length === 0 || depth >= MAX_DEPTH || work < MIN_WORK) return;
  shape.elements ??= newShape();
  const count = Math.min(array.length, MAX_ELEMENTS, Math.floor(work / MIN_WORK));
  // The first and the last element, and others evenly between them.
  const step = count > 1 ? (array.length - 1) / (count - 1) : 0;
  for (let i = 0; i < count; i++)
    add(shape.elements, array[Math.round(i * step)], depth + 1, work / count);
}

function addObject(shape: Shape, object: object, depth: number, work: number): void {
  if (depth >= MAX_DEPTH || work < MIN_WORK) {
    shape.hasUnread = true;
    return;
  }
  shape.objects++;
  const keys = Object.keys(object);
  if (!shape.isMap && isMap(object, keys)) becomeMap(shape);
  const read = keys.slice(0, MAX_FIELDS);
  for (const key of read) {
    const member = (object as Record<string, unknown>)[key];
    add(fieldOf(shape, key), member, depth + 1, work / read.length);
  }
  // Objects that have hardly a key in common are maps.
  if (!shape.isMap && shape.fields.size > MAX_FIELDS) becomeMap(shape);
}

/** The shape of a field. The values of a map share one shape, without their keys. */
function fieldOf(shape: Shape, key: string): Shape {
  const name = shape.isMap ? "" : key;
  let field = shape.fields.get(name);
  if (field === undefined) shape.fields.set(name, (field = newShape()));
  return field;
}

export function shapeText(
  shape: Shape,
  { maxChars = DEFAULT_MAX_CHARS, sizes = false }: ShapeOptions = {},
): string {
  let text = "";
  for (const [depth, fields] of LEVELS) {
    text = render(shape, { depth, fields, sizes });
    if (text.length <= maxChars) return text;
  }
  return maxChars > 0 ? MORE : "";
}

function kindOf(value: unknown): Kind {
  const type = typeof value;
  return type === "number" || type === "boolean" || type === "string" ? type : "null";
}

function isMap(value: object, keys: readonly string[]): boolean {
  const first = keys.slice(0, MAX_FIELDS);
  if (!first.every(isFieldName)) return true;
  if (keys.length <= MAX_FIELDS_OF_ONE_KIND) return false;
  if (first.some((key) => !isIdentifier(key))) return true;
  const kinds = first.map((key) => {
    const member = (value as Record<string, unknown>)[key];
    return Array.isArray(member) ? "array" : typeof member;
  });
  return new Set(kinds).size < 3;
}

/** Whether a key looks like a name that the author of a tool chose, and not like data. */
export function isFieldName(key: string): boolean {
  return (
    key.length <= MAX_KEY_CHARS &&
    !DATA.test(key) &&
    (isIdentifier(key) || !hasUnseen(key.replaceAll(" ", ""))) &&
    tokensIn(key).length === 0
  );
}

function becomeMap(shape: Shape): void {
  shape.isMap = true;
  const values = newShape();
  for (const field of shape.fields.values()) mergeShape(values, field);
  shape.fields.clear();
  if (values.count > 0) shape.fields.set("", values);
}

/** Adds all that is known of one shape to another. */
export function mergeShape(to: Shape, from: Shape): void {
  to.count += from.count;
  for (const kind of from.kinds) to.kinds.add(kind);
  to.text = Math.max(to.text, from.text);
  to.objects += from.objects;
  to.hasUnread ||= from.hasUnread;
  to.arrays += from.arrays;
  to.lengths[0] = Math.min(to.lengths[0], from.lengths[0]);
  to.lengths[1] = Math.max(to.lengths[1], from.lengths[1]);
  if (from.elements !== undefined) mergeShape((to.elements ??= newShape()), from.elements);
  if (from.isMap && !to.isMap) becomeMap(to);
  for (const [key, field] of from.fields) mergeShape(fieldOf(to, key), field);
  if (!to.isMap && to.fields.size > MAX_FIELDS) becomeMap(to);
}

interface Detail {
  readonly depth: number;
  readonly fields: number;
  readonly sizes: boolean;
}

function render(shape: Shape, detail: Detail): string {
  return typesOf(shape, detail).join("|") || MORE;
}

function typesOf(shape: Shape, detail: Detail): string[] {
  const types: string[] = [];
  if (shape.objects > 0) types.push(objectType(shape, detail));
  else if (shape.hasUnread) types.push(`{${MORE}}`);
  if (shape.arrays > 0) types.push(arrayType(shape, detail));
  if (shape.text > 0 && detail.sizes) types.push(`text(${shape.text})`);
  if (shape.kinds.has("string") || (shape.text > 0 && !detail.sizes)) types.push("string");
  for (const kind of ["number", "boolean", "null"] as const)
    if (shape.kinds.has(kind)) types.push(kind);
  return types;
}

function objectType(shape: Shape, detail: Detail): string {
  if (shape.fields.size === 0) return "{}";
  if (detail.depth === 0) return `{${MORE}}`;
  const inner = { ...detail, depth: detail.depth - 1 };
  const shown: string[] = [];
  for (const [key, field] of shape.fields) {
    if (shown.length >= detail.fields) {
      shown.push(MORE);
      break;
    }
    const name = isIdentifier(key) ? key : JSON.stringify(key);
    const mark = field.count < shape.objects ? "?" : "";
    shown.push(`${shape.isMap ? "[key]" : `${name}${mark}`}:${render(field, inner)}`);
  }
  if (shape.hasUnread && shown.at(-1) !== MORE) shown.push(MORE);
  return `{${shown.join(", ")}}`;
}

function arrayType({ elements, lengths }: Shape, detail: Detail): string {
  const [min, max] = lengths;
  if (max === 0) return "[]";
  const types = elements === undefined ? [] : typesOf(elements, detail);
  const type = types.length > 1 ? `(${types.join("|")})` : (types[0] ?? MORE);
  if (!detail.sizes) return `${type}[]`;
  return `${min === max ? max : `≤${max}`}×${type}`;
}
