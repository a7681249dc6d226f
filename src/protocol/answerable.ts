import { RPC } from "../errors.ts";
import { type JsonObject, type RpcError, isObject } from "../wire/messages.ts";

/** The capability a client needs for each request of a server. */
const NEEDED: Readonly<Record<string, string>> = {
  "sampling/createMessage": "sampling",
  "elicitation/create": "elicitation",
  "roots/list": "roots",
};

/** Whether a client with these capabilities knows a method that needs one. */
export function declares(capabilities: JsonObject, method: string): boolean {
  const needed = NEEDED[method];
  return needed !== undefined && needed in capabilities;
}

/**
 * The error with which a client refuses a request of a server that its capabilities exclude. On a
 * connection that clients with different capabilities share, the server does not know them.
 */
export function refusalByCapabilities(
  capabilities: JsonObject,
  method: string,
  params: JsonObject,
): RpcError | undefined {
  if (NEEDED[method] === undefined) return undefined;
  if (!declares(capabilities, method))
    return { code: RPC.methodNotFound, message: `Method not found: ${method}` };
  const lacks = lackingPart(capabilities[NEEDED[method]], method, params);
  if (lacks === undefined) return undefined;
  return { code: RPC.invalidParams, message: `The client does not support ${lacks}` };
}

/** The part of a declared capability that a request needs and the client does not have. */
function lackingPart(declared: unknown, method: string, params: JsonObject): string | undefined {
  const parts = isObject(declared) ? declared : {};
  if (method === "sampling/createMessage") {
    const usesTools = params["tools"] !== undefined || params["toolChoice"] !== undefined;
    return usesTools && !("tools" in parts) ? "tools in sampling requests" : undefined;
  }
  if (method !== "elicitation/create") return undefined;
  if (params["mode"] === "url") return "url" in parts ? undefined : "elicitation by URL";
  // A client that names no mode supports forms.
  return "url" in parts && !("form" in parts) ? "elicitation by form" : undefined;
}
