import { memberText, withMembers, replaceMember } from "../wire/members.ts";
import {
  type IncomingRequest,
  type JsonObject,
  isObject,
  requestMessage,
  writtenId,
} from "../wire/messages.ts";
import type { Era } from "../protocol/client-profile.ts";
import { NO_ENVELOPE } from "../protocol/envelope.ts";

/** The input that a modern server asked for, as JSON. */
export interface MoreInput {
  readonly inputResponses: string;
  /** The state that has to be sent back to the server. */
  readonly requestState: string | undefined;
}

/** The progress token of the client's request, as JSON, if any. */
export function progressTokenOf(request: IncomingRequest): string | undefined {
  if (request.plain !== undefined) return undefined;
  const meta = request.params["_meta"];
  if (!isObject(meta)) return undefined;
  const token = meta["progressToken"];
  if (typeof token !== "string" && typeof token !== "number") return undefined;
  return writtenId(token, () => memberText(metaOf(request), "progressToken"));
}

/**
 * `_meta` as it is sent to the server, as JSON; undefined if empty. A progress token is replaced by
 * the id of the call, which is unique on the connection. A modern server gets an envelope for a
 * legacy client; for a legacy server the envelope of a modern client is removed.
 */
export function metaText(
  request: IncomingRequest,
  callId: number,
  serverEra: Era,
  envelope: JsonObject | undefined,
): string | undefined {
  const given = request.plain === undefined ? request.params["_meta"] : undefined;
  const add = serverEra === "modern" ? envelope : undefined;
  if (!isObject(given)) return add && JSON.stringify(add);
  const changes = {
    ...(add &&
      Object.fromEntries(Object.entries(add).map(([key, value]) => [key, JSON.stringify(value)]))),
    ...(serverEra === "legacy" && envelope === undefined && NO_ENVELOPE),
  };
  const text = metaOf(request);
  const kept = Object.keys(changes).length === 0 ? text : withMembers(text, changes);
  if (progressTokenOf(request) !== undefined)
    return replaceMember(kept, "progressToken", String(callId));
  // A token that is neither a string nor a number cannot be replaced.
  return "progressToken" in given ? withMembers(kept, { progressToken: undefined }) : kept;
}

/** The request as it is sent to a server: the client's own text with some parameters replaced. */
export function requestTextFor(
  request: IncomingRequest,
  callId: number,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const { plain, text } = request;
  // A plain call has none of the parameters that might have to be removed.
  if (plain !== undefined && Object.values(changes).every((value) => value === undefined))
    return text.slice(0, plain.idStart) + callId + text.slice(plain.idEnd);
  const params = withMembers(memberText(request.text, "params") ?? "{}", changes);
  return requestMessage(String(callId), request.method, params);
}

function metaOf({ text }: IncomingRequest): string {
  return memberText(memberText(text, "params") ?? "{}", "_meta") ?? "{}";
}
