import { createHash } from "node:crypto";

import { isObject, parseJson } from "../../text/json.ts";
import type { JsonObject } from "../../wire/messages.ts";
import type { ScriptFile } from "./script-files.ts";

/**
 * The key in the annotations of a saved script for the digest of its source. Annotations are pinned, so a
 * changed script is a changed definition.
 */
const SOURCE_KEY = "mcp-workbench/source";

const MAX_DESCRIPTION_CHARS = 4000;
const ANNOTATIONS = ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/** A script that can be a tool. */
export interface SavedScript {
  readonly name: string;
  /** The body of an async function that runs it. */
  readonly body: string;
  readonly definition: JsonObject;
}

/** What a script says about itself, evaluated in the sandbox: JSON. Throws if it cannot be a tool. */
export function scriptDefinition({ name, source }: ScriptFile, described: string): JsonObject {
  const value = parseJson(described);
  if (!isObject(value)) throw new Error("its exports cannot be read");
  const { description, input = { type: "object" }, annotations, run } = value;
  if (typeof description !== "string" || description.trim() === "")
    throw new Error('it needs a description: export const description = "…"');
  if (description.length > MAX_DESCRIPTION_CHARS)
    throw new Error(`its description has more than ${MAX_DESCRIPTION_CHARS} characters`);
  if (run !== "function")
    throw new Error("it needs a function: export async function run(input) { … }");
  if (!isObject(input) || input["type"] !== "object")
    throw new Error('its input must be a JSON schema: export const input = { type: "object", … }');
  return {
    name,
    description,
    inputSchema: input,
    annotations: {
      ...(isObject(annotations) && shownAnnotations(annotations)),
      [SOURCE_KEY]: `sha256-${createHash("sha256").update(source).digest("base64")}`,
    },
  };
}

function shownAnnotations(annotations: JsonObject): JsonObject {
  const known = Object.entries(annotations).filter(([key]) => ANNOTATIONS.includes(key));
  return Object.fromEntries(known);
}
