/**
 * The part of a shape whose keys are certainly names that the author of a tool chose. Objects that map
 * names to values look like records, and their keys are data: `{alice: {…}, bob: {…}}`. So a key is kept
 * only if it recurs in several objects, only if the object is not like a map, and only if it was not given in the
 * arguments of a call, as the ids of what to look up.
 */

import { type Shape, mergeShape, newShape } from "./json-shape.ts";

/** In how many objects a key must be, if their fields differ in kind, as those of records do. */
const MIN_OBJECTS = 2;
/** The same if they do not differ. */
const MIN_ALIKE_OBJECTS = 3;
/** Objects of which fewer fields are in use have data as keys. */
const MIN_DENSITY = 0.6;
/** Objects with more fields in common are alike. */
const ALIKE_DENSITY = 0.7;

const NO_TEXTS: ReadonlySet<string> = new Set();

/**
 * `given` are the texts in the arguments of the calls. `isElement`: the values of this shape are in a list, or
 * are those of a map.
 */
export function provenShape(shape: Shape, given = NO_TEXTS, isElement = false): Shape {
  const elements = shape.elements && provenShape(shape.elements, given, true);
  const proven: Shape = { ...shape, elements, fields: new Map() };
  if (shape.objects === 0 || shape.fields.size === 0) return proven;
  if (shape.isMap || isLikeMap(shape, isElement)) {
    proven.isMap = true;
    proven.fields.set("", provenShape(merged(shape.fields.values()), given, true));
    return proven;
  }
  for (const [key, field] of shape.fields) {
    // Rows of a list have names, also if the arguments say by which of them they are sorted.
    const isKnown = field.count >= minObjects(shape) && (isElement || !given.has(key));
    if (isKnown) proven.fields.set(key, provenShape(field, given));
  }
  proven.hasUnread ||= proven.fields.size < shape.fields.size;
  // An object without known fields is not an empty one.
  if (proven.fields.size === 0) proven.objects = 0;
  return proven;
}

function isLikeMap(shape: Shape, isElement: boolean): boolean {
  const { objects, fields } = shape;
  const density = densityOf(shape);
  if (!areAlike([...fields.values()]))
    return (objects > 1 && density < MIN_DENSITY) || (!isElement && areNumbered(fields));
  const [first, ...others] = fields.values();
  // `{content: "…"}` and `{items: […]}` are common; a single record may be all that a map has.
  const isWrapper = others.length === 0 && first?.objects === 0 && !first.hasUnread;
  // Rows of a table have the same fields.
  const isRecord = density === 1 && (isWrapper || isElement);
  return isRecord ? false : fields.size > 1 || objects > 1;
}

/** Whether at least half of the keys have digits, as ids do. */
function areNumbered(fields: ReadonlyMap<string, Shape>): boolean {
  return [...fields.keys()].filter((key) => /\d/.test(key)).length * 2 >= fields.size;
}

/**
 * The shape of several results as if they were one: results of the same arguments have the same keys, whether
 * these are data or not. A field that some of them have counts as a part of one.
 */
export function asOneResult(shape: Shape): Shape {
  if (shape.isMap) return shape;
  const { objects } = shape;
  const fields = new Map<string, Shape>();
  for (const [key, field] of shape.fields)
    fields.set(key, { ...asOneResult(field), count: field.count / objects });
  return { ...shape, fields, count: Math.min(1, shape.count), objects: Math.min(1, objects) };
}

function minObjects({ fields }: Shape): number {
  return areAlike([...fields.values()]) ? MIN_ALIKE_OBJECTS : MIN_OBJECTS;
}

/** How many of the fields an object has, on average: 1 if all objects have the same. */
function densityOf({ objects, fields }: Shape): number {
  let count = 0;
  for (const field of fields.values()) count += field.count;
  return count / (objects * fields.size);
}

/** Whether values are of one kind, and objects and lists among them of one shape. */
function areAlike(shapes: readonly Shape[]): boolean {
  const kinds = new Set(shapes.flatMap(kindsOf));
  if (kinds.size > 1) return false;
  const all = merged(shapes);
  if (kinds.has("list")) return all.elements === undefined || areAlike([...elementsOf(shapes)]);
  if (!kinds.has("object") || all.isMap || all.fields.size === 0) return true;
  return shapes.length === 1 || densityOf(all) >= ALIKE_DENSITY;
}

function* elementsOf(shapes: readonly Shape[]): Iterable<Shape> {
  for (const { elements } of shapes) if (elements !== undefined) yield elements;
}

/** A value may be missing in any object, so that null tells nothing. */
function kindsOf({ kinds, text, objects, hasUnread, arrays }: Shape): string[] {
  return [
    ...[...kinds].filter((kind) => kind !== "null"),
    ...(text > 0 ? ["string"] : []),
    ...(objects > 0 || hasUnread ? ["object"] : []),
    ...(arrays > 0 ? ["list"] : []),
  ];
}

function merged(shapes: Iterable<Shape>): Shape {
  const all = newShape();
  for (const shape of shapes) mergeShape(all, shape);
  return all;
}
