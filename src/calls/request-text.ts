import { type WorkbenchError, workbenchError } from "../errors.ts";
import type { Era } from "../protocol/client-profile.ts";
import { NO_ENVELOPE } from "../protocol/envelope.ts";
import { inexactKey, shapeOf } from "../wire/exact-keys.ts";
import { type Span, memberText, replaceMember, scanMembers, withMembers } from "../wire/members.ts";
import {
  type IncomingRequest,
  type JsonObject,
  isObject,
  requestMessage,
  writtenMeta,
} from "../wire/messages.ts";
import type { PlainCall } from "../wire/plain-messages.ts";
import { type ClientCall, type Route, progressTokenOf } from "./call.ts";
import type { ArgumentsAt, CallableTool, OnServer } from "./destination.ts";
import type { MoreInput } from "./more-input.ts";

/**
 * The message that sends a call to a server: the client's own text as far as possible. `tool` is
 * set if the destination is a tool.
 */
export function messageFor(
  call: ClientCall,
  destination: OnServer,
  tool: CallableTool | undefined,
  route: Route,
  input: MoreInput | undefined,
): string {
  const { request, id, caller } = call;
  const { exchanges } = caller.pipeline;
  const written = metaText(request, id, route.hello.era, caller.envelope);
  const meta = exchanges === undefined ? written : exchanges.onSending(call, written);
  if (destination.tool === undefined || tool === undefined)
    return requestTextFor(request, id, { ...destination.changes, _meta: meta, ...input });
  let further = meta === undefined ? "" : `,"_meta":${meta}`;
  if (input !== undefined)
    for (const [key, value] of Object.entries(input))
      if (value !== undefined) further += `,"${key}":${value}`;
  const { argumentsAt } = destination;
  return toolCallText(request, id, tool.nameJson, argumentsAt, further, tool.pinned);
}

const NOT_WAITING =
  "requestState: the call is no longer waiting for input. Its server may have executed a part of it; without requestState it is called from the start";

/**
 * Legacy servers have no states, so this is one of a workbench, for a call that has ended with its process.
 * The server must not get that call twice.
 */
function isForLostCall(clientEra: Era, request: IncomingRequest, serverEra: Era): boolean {
  if (clientEra === "legacy" || serverEra === "modern" || request.plain !== undefined) return false;
  return request.params["requestState"] !== undefined;
}

/**
 * Why a call cannot be sent: it is over, its tool must not be called in this way, or its arguments are among
 * those that its tool has fixed.
 */
export function refusalOf(
  { request, caller }: ClientCall,
  destination: OnServer,
  tool: CallableTool | undefined,
  route: Route,
): WorkbenchError | undefined {
  if (isForLostCall(caller.era, request, route.hello.era))
    return workbenchError("INVALID_PARAMETERS", { reason: NOT_WAITING });
  const refused = tool && destination.refusal?.(tool);
  if (refused !== undefined) return refused;
  if (destination.tool === undefined || tool?.pinned === undefined) return undefined;
  const reason = argumentsProblem(request, destination.argumentsAt, tool.pinned);
  return reason === undefined ? undefined : workbenchError("INVALID_PARAMETERS", { reason });
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
  const add = serverEra === "modern" ? envelope : undefined;
  const given = request.plain === undefined ? request.params["_meta"] : undefined;
  if (given === undefined || !isObject(given)) return add && JSON.stringify(add);
  const changes = {
    ...(add &&
      Object.fromEntries(Object.entries(add).map(([key, value]) => [key, JSON.stringify(value)]))),
    ...(serverEra === "legacy" && envelope === undefined && NO_ENVELOPE),
  };
  const text = writtenMeta(request);
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

/**
 * The `tools/call` request for a server. Arguments and other parameters are the client's own text;
 * only the name is the server's. `further` holds more members, each preceded by a comma; `pinned`
 * are arguments with fixed values that override the client's.
 */
export function toolCallText(
  request: IncomingRequest,
  callId: number,
  nameJson: string,
  at: ArgumentsAt,
  further: string,
  pinned?: JsonObject,
): string {
  const { args, rest } = measured(request, at);
  const own = argumentsIn(request, args, pinned);
  return `{"jsonrpc":"2.0","id":${callId},"method":"tools/call","params":{"name":${nameJson},"arguments":${own}${rest}${further}}}`;
}

/** The arguments of a tool as they are sent to its server. */
export function sentArguments(
  request: IncomingRequest,
  at: ArgumentsAt,
  pinned?: JsonObject,
): string {
  return argumentsIn(request, measured(request, at).args, pinned);
}

function argumentsIn(
  { text }: IncomingRequest,
  span: Span | undefined,
  pinned: JsonObject | undefined,
): string {
  const value = span === undefined ? "{}" : text.slice(span.start, span.end);
  return pinned === undefined ? value : withPinned(value, pinned);
}

/** Why arguments cannot be sent to a tool with fixed ones: other keys may be mistaken for those. */
export function argumentsProblem(
  request: IncomingRequest,
  at: ArgumentsAt,
  pinned: JsonObject,
): string | undefined {
  const { args } = measured(request, at);
  if (args === undefined) return undefined;
  const value = request.text.slice(args.start, args.end);
  return inexactKey(value, shapeOf(Object.keys(pinned)))?.reason;
}

/** The arguments of a tool as the client wrote them; undefined if it gave none. */
export function writtenArguments(request: IncomingRequest, at: ArgumentsAt): string | undefined {
  const { args } = measured(request, at);
  return args && request.text.slice(args.start, args.end);
}

/** The inner arguments of a plain call can be located only if there is nothing else beside them. */
function measured({ plain, text }: IncomingRequest, at: ArgumentsAt): Measured {
  const isCertain = plain !== undefined && (at === "params.arguments" || !plain.hasOthers);
  return isCertain ? plainArguments(plain, at) : measure(text, at);
}

interface Measured {
  args: Span | undefined;
  /** Other parameters, with their keys. */
  rest: string;
}

function plainArguments(call: PlainCall, at: ArgumentsAt): Measured {
  const own = at === "params.arguments";
  const start = own ? call.argumentsStart : call.innerStart;
  const end = own ? call.argumentsEnd : call.innerEnd;
  return { args: start === 0 ? undefined : { start, end }, rest: "" };
}

/** Finds the arguments and the other parameters. */
function measure(text: string, at: ArgumentsAt): Measured {
  const found: Measured = { args: undefined, rest: "" };
  scanMembers(text, 0, (key, start) => {
    if (key !== "params") return undefined;
    found.args = undefined;
    found.rest = "";
    return scanMembers(text, start, (param, from, skip) => {
      if (param === "name" || param === "_meta") return undefined;
      if (param === "arguments" && at === "params.arguments.arguments")
        return measureInner(text, from, found);
      const end = skip(from);
      if (param === "arguments") found.args = { start: from, end };
      else found.rest += `,${JSON.stringify(param)}:${text.slice(from, end)}`;
      return end;
    });
  });
  return found;
}

function measureInner(text: string, from: number, found: Measured): number | undefined {
  found.args = undefined;
  return scanMembers(text, from, (key, start, skip) => {
    if (key !== "arguments") return undefined;
    const end = skip(start);
    found.args = { start, end };
    return end;
  });
}

/** The client's arguments, unchanged, with the fixed ones replacing its own. */
function withPinned(args: string, pinned: JsonObject): string {
  const fixed = Object.entries(pinned).map(([key, value]) => [key, JSON.stringify(value)]);
  return withMembers(args.startsWith("{") ? args : "{}", Object.fromEntries(fixed));
}
