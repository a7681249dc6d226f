import { memberText, withMembers, replaceMember } from "../wire/members.ts";
import {
  type IncomingRequest,
  type JsonObject,
  type ProgressToken,
  isObject,
} from "../wire/messages.ts";
import type { Era } from "../protocol/client-profile.ts";
import { NO_ENVELOPE } from "../protocol/envelope.ts";

/** The input that a modern server asked for before it goes on, as JSON. */
export interface MoreInput {
  readonly inputResponses: string;
  /** What the server wants to get back. */
  readonly requestState: string | undefined;
}

/** The token the client put into its request, if any. */
export function progressTokenOf(request: IncomingRequest): ProgressToken | undefined {
  if (request.plain !== undefined) return undefined;
  const meta = request.params["_meta"];
  if (!isObject(meta)) return undefined;
  const token = meta["progressToken"];
  return typeof token === "string" || typeof token === "number" ? token : undefined;
}

/**
 * `_meta` as the server is to see it, as JSON; undefined if there is nothing in it. A progress token
 * becomes the id of the call, which is unique on the connection. A modern server is given the
 * envelope of a legacy client, and a legacy server is not bothered with that of a modern one.
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
  // A token that is neither a string nor a number cannot be replaced by ours.
  return "progressToken" in given ? withMembers(kept, { progressToken: undefined }) : kept;
}

/** The request as a server hears it: the client's own text with some parameters replaced. */
export function requestTextFor(
  request: IncomingRequest,
  callId: number,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const { plain, text } = request;
  // A plain call has none of the parameters that could have to be left out.
  if (plain !== undefined && Object.values(changes).every((value) => value === undefined))
    return text.slice(0, plain.idStart) + callId + text.slice(plain.idEnd);
  const params = withMembers(memberText(request.text, "params") ?? "{}", changes);
  const method = JSON.stringify(request.method);
  return `{"jsonrpc":"2.0","id":${callId},"method":${method},"params":${params}}`;
}

function metaOf({ text }: IncomingRequest): string {
  return memberText(memberText(text, "params") ?? "{}", "_meta") ?? "{}";
}
