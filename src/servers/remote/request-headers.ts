import { modernVersionOf } from "../../relay/envelope.ts";
import { isObject } from "../../wire/messages.ts";
import { paramHeadersOf } from "./param-headers.ts";

/**
 * The headers of a modern request repeat parts of its body. They are read from the message that is
 * sent, so that the two cannot differ.
 */

const BASE64_START = "=?base64?";
const BASE64_END = "?=";
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Undefined for a message of the legacy era. */
export function modernHeaders(
  message: string,
  inputSchemaOf: (tool: string) => unknown,
): Record<string, string> | undefined {
  const { method, params } = JSON.parse(message) as { method?: unknown; params?: unknown };
  if (typeof method !== "string" || !isObject(params)) return undefined;
  const version = modernVersionOf(params);
  if (version === undefined) return undefined;
  const headers: Record<string, string> = {
    "mcp-protocol-version": encodeHeader(version),
    "mcp-method": encodeHeader(method),
  };
  const name = nameOf(method, params);
  if (name !== undefined) headers["mcp-name"] = encodeHeader(name);
  if (method !== "tools/call" || name === undefined) return headers;
  const mirrored = paramHeadersOf(inputSchemaOf(name));
  // Tools with an invalid schema are not offered, so this one has no headers.
  if (typeof mirrored === "string") return headers;
  for (const { header, path } of mirrored) {
    const value = headerText(valueAt(params["arguments"], path));
    if (value !== undefined) headers[header] = encodeHeader(value);
  }
  return headers;
}

/** Text that a header cannot carry, or that looks like encoded text, is sent as base64. */
export function encodeHeader(value: string): string {
  const ambiguous = value.startsWith(BASE64_START) && value.endsWith(BASE64_END);
  if (PLAIN.test(value) && !ambiguous) return value;
  return `${BASE64_START}${Buffer.from(value).toString("base64")}${BASE64_END}`;
}

/** What the request is about: a tool, a prompt, a resource or a task. */
function nameOf(method: string, params: Record<string, unknown>): string | undefined {
  const name = params[SUBJECT[method] ?? (method.startsWith("tasks/") ? "taskId" : "")];
  return typeof name === "string" ? name : undefined;
}

const SUBJECT: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** A value of any other type does not match the schema; the server reports that. */
function headerText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  return Number.isSafeInteger(value) ? String(value) : undefined;
}
