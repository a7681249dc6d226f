import type { ListedTool } from "../../servers/tools/catalogue.ts";
import { type Shape, shapeOf } from "../../wire/exact-keys.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";

/** A parameter of a tool that clients repeat in a header (`x-mcp-header` in its schema). */
export interface ParamHeader {
  /** In lower case, as Node gives the headers. */
  readonly header: string;
  readonly path: readonly string[];
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const DEEPEST = 32;

/** The parameters of a tool that are repeated in headers. */
export interface ParamHeaders {
  readonly headers: readonly ParamHeader[];
  /** A call to the tool, as far as these parameters go. */
  readonly shape: Shape;
}

const known = new WeakMap<ListedTool, ParamHeaders>();

export function paramHeadersOf(tool: ListedTool): ParamHeaders {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const headers: ParamHeader[] = [];
  collect(tool.value["inputSchema"], [], headers);
  const shape = shapeAlong(headers.map(({ path }) => ["params", "arguments", ...path]));
  const found = { headers, shape };
  known.set(tool, found);
  return found;
}

/** The keys that lead along these paths. */
function shapeAlong(paths: readonly (readonly string[])[]): Shape {
  const below = new Map<string, string[][]>();
  for (const [key, ...rest] of paths)
    if (key !== undefined) below.set(key, [...(below.get(key) ?? []), rest]);
  const shapes = Array.from(below, ([key, rests]) => [key, shapeAlong(rests)] as const);
  return shapeOf([...below.keys()], Object.fromEntries(shapes));
}

/** Only what is reached by `properties` alone counts; anywhere else the mark has no meaning. */
function collect(schema: unknown, path: readonly string[], found: ParamHeader[]): void {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  if (!isObject(properties) || path.length >= DEEPEST) return;
  for (const [key, property] of Object.entries(properties)) {
    if (!isObject(property)) continue;
    const at = [...path, key];
    const name = property["x-mcp-header"];
    if (typeof name === "string" && HEADER_NAME.test(name))
      found.push({ header: `mcp-param-${name.toLowerCase()}`, path: at });
    collect(property, at, found);
  }
}

/** The argument a header repeats; undefined where there is none, or none that fits into a header. */
export function argumentAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return typeof value === "object" ? undefined : value;
}
