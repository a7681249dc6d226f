import { workbenchError } from "../../../errors.ts";
import { modernVersionOf } from "../../../protocol/envelope.ts";
import { isObject, valueAt } from "../../../text/json.ts";
import { inexactKey } from "../../../wire/exact-keys.ts";
import { encodeHeaderValue, namedParameterOf } from "../../../wire/header-value.ts";
import { Line } from "../../../wire/lines.ts";
import { errorText } from "../../../wire/messages.ts";
import { paramHeadersOf } from "../../../wire/param-headers.ts";

/**
 * The headers of a modern request repeat parts of its body. They are read from the message that is
 * sent, so that the two cannot differ.
 */

/** The arguments of a call have a key that may be taken for one that a header repeats. */
class InexactArguments extends Error {}

/** The answer to a call that was not sent because of its arguments; undefined for other errors. */
export function lookalikeError(id: number, error: unknown): Line | undefined {
  if (!(error instanceof InexactArguments)) return undefined;
  const { rpcError } = workbenchError("INVALID_PARAMETERS", { reason: error.message });
  return Line.of(errorText(String(id), rpcError));
}

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
    "mcp-protocol-version": encodeHeaderValue(version),
    "mcp-method": encodeHeaderValue(method),
  };
  const named = namedParameterOf(method);
  const name = named === undefined ? undefined : params[named];
  if (typeof name !== "string") return headers;
  headers["mcp-name"] = encodeHeaderValue(name);
  if (method !== "tools/call") return headers;
  const mirrored = paramHeadersOf(inputSchemaOf(name));
  // Tools with an invalid schema are not offered, so this one has no headers.
  if (typeof mirrored === "string" || mirrored.headers.length === 0) return headers;
  // The header says the same as one of two spellings; the server may read the other.
  const inexact = inexactKey(message, mirrored.shape);
  if (inexact !== undefined) throw new InexactArguments(inexact.reason);
  for (const { header, path } of mirrored.headers) {
    const value = headerText(valueAt(params["arguments"], path));
    if (value !== undefined) headers[header] = encodeHeaderValue(value);
  }
  return headers;
}

/** Why the headers of a tool cannot be written as its schema asks; undefined if they can. */
export function headerProblemOf(inputSchema: unknown): string | undefined {
  const found = paramHeadersOf(inputSchema);
  return typeof found === "string" ? found : undefined;
}

/** A value of any other type does not match the schema; the server reports that. */
function headerText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  return Number.isSafeInteger(value) ? String(value) : undefined;
}
