import { type Shape, shapeOf } from "./exact-keys.ts";
import { type JsonObject, isObject } from "./messages.ts";

/**
 * In the modern era, a tool can name arguments that are repeated in HTTP headers, for proxies that
 * route by them: `x-mcp-header` in the schema of a property. One invalid annotation makes the whole
 * tool invalid for HTTP: clients must not offer it, and its headers mean nothing.
 */

export interface ParamHeader {
  /** In lower case, as it is sent. */
  readonly header: string;
  /** The property names on the path to the value. */
  readonly path: readonly string[];
}

/** The parameters of a tool that are repeated in headers. */
export interface ParamHeaders {
  readonly headers: readonly ParamHeader[];
  /** The headers of a call, from its arguments. */
  readonly shape: Shape;
}

const KEYWORD = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
/** Keywords whose value is data and not a schema. */
const DATA: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);
/** Keywords whose members are schemas with names chosen by the author. */
const NAMED: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
]);
/** Deeper than any schema written by hand; a hostile one must not exhaust the stack. */
const MAX_DEPTH = 100;

const NO_HEADERS: ParamHeaders = { headers: [], shape: shapeOf([]) };

/** The headers that a schema declares, or what is wrong with its annotations. */
export function paramHeadersOf(inputSchema: unknown): ParamHeaders | string {
  if (!isObject(inputSchema)) return NO_HEADERS;
  const known = cache.get(inputSchema);
  if (known !== undefined) return known;
  const found = collect(inputSchema);
  cache.set(inputSchema, found);
  return found;
}

/** Schemas are searched once, not for every call. */
const cache = new WeakMap<JsonObject, ParamHeaders | string>();

function collect(inputSchema: JsonObject): ParamHeaders | string {
  const found = new Map<string, ParamHeader>();
  const problem = visit(inputSchema, [], true, 0, found);
  if (problem !== undefined) return problem;
  if (found.size === 0) return NO_HEADERS;
  const headers = [...found.values()];
  const shape = shapeAlong(headers.map(({ path }) => ["params", "arguments", ...path]));
  return { headers, shape };
}

/** The keys on these paths. */
function shapeAlong(paths: readonly (readonly string[])[]): Shape {
  const below = new Map<string, string[][]>();
  for (const [key, ...rest] of paths)
    if (key !== undefined) below.set(key, [...(below.get(key) ?? []), rest]);
  const shapes = Array.from(below, ([key, rests]) => [key, shapeAlong(rests)] as const);
  return shapeOf([...below.keys()], Object.fromEntries(shapes));
}

/** `reachable` while only `properties` lie between the root and this schema. */
function visit(
  schema: unknown,
  path: readonly string[],
  reachable: boolean,
  depth: number,
  found: Map<string, ParamHeader>,
): string | undefined {
  if (depth > MAX_DEPTH) return "its input schema is nested too deeply";
  if (Array.isArray(schema))
    return firstOf(schema, (item) => visit(item, path, false, depth + 1, found));
  if (!isObject(schema)) return undefined;
  const problem = Object.hasOwn(schema, KEYWORD) ? take(schema, path, reachable, found) : undefined;
  if (problem !== undefined) return problem;
  return firstOf(Object.entries(schema), ([keyword, value]) => {
    if (DATA.has(keyword)) return undefined;
    if (keyword === "properties" && isObject(value))
      return firstOf(Object.entries(value), ([name, property]) =>
        visit(property, [...path, name], reachable, depth + 1, found),
      );
    const within = NAMED.has(keyword) && isObject(value) ? Object.values(value) : value;
    return visit(within, path, false, depth + 1, found);
  });
}

function take(
  schema: JsonObject,
  path: readonly string[],
  reachable: boolean,
  found: Map<string, ParamHeader>,
): string | undefined {
  const name = schema[KEYWORD];
  const where = path.length === 0 ? "its input schema" : `'${path.join(".")}'`;
  if (!reachable || path.length === 0)
    return `${where} has ${KEYWORD} on something other than a property`;
  if (typeof name !== "string" || !TOKEN.test(name))
    return `${where} has an ${KEYWORD} that is not a header name`;
  if (!TYPES.has(schema["type"]))
    return `${where} has ${KEYWORD} but is not a string, integer or boolean`;
  const header = `mcp-param-${name.toLowerCase()}`;
  if (found.has(header)) return `${where} repeats the ${KEYWORD} of another property`;
  found.set(header, { header, path });
  return undefined;
}

function firstOf<T>(
  items: readonly T[],
  problemOf: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
