import type { Destination } from "../../calls/destination.ts";
import { workbenchError } from "../../errors.ts";
import { isVisibleTo } from "../../protocol/ui-extension.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";
import { hasUiSupport } from "../apps/ui-client.ts";
import type { ServedCall, ServedClient } from "../served-client.ts";
import { type NativeTool, nativeDestination } from "./native-definitions.ts";
import { resolvedRequestOf } from "./use-tool.ts";

/** The destination of a call of a native tool. */
export function nativeCall(
  client: ServedClient,
  call: ServedCall,
  { server, id, text }: NativeTool,
): Destination | Promise<Destination> {
  const destination = nativeDestination(server, id);
  const resolving = resolvedRequestOf(client, call, destination.argumentsAt);
  if (resolving === undefined) return destination;
  // The host passes calls of pages on like those of the model, whose results pages must not get.
  if (hasUiSupport(client) && isVisibleTo("app", JSON.parse(text) as JsonObject))
    return resolving.then(
      (resolved) => (resolved === call.request ? destination : refuse(FOR_PAGES)),
      () => refuse(FOR_PAGES),
    );
  return resolving.then((resolved) =>
    isObject(resolved.params["arguments"] ?? {})
      ? { ...destination, request: resolved }
      : refuse(NOT_AN_OBJECT),
  );
}

const NOT_AN_OBJECT = "$result: the arguments must be an object";
const FOR_PAGES =
  "$result: pages of servers may call this tool, too, so it gets no stored results; pass them in run_script";

function refuse(reason: string): never {
  throw workbenchError("INVALID_PARAMETERS", { reason });
}
