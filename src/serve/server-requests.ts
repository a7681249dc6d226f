/**
 * What a client sees of the requests that servers send it: elicitation and sampling.
 *
 * A client that is connected to the workbench shows "the workbench asks". Without more, any server
 * could pose as another one, or as the workbench itself. So every request names the server that it
 * came from, in the text that people read and in `_meta` for programs, and a server cannot ask for
 * the context of the others or have a URL opened that runs code. A transparent view shows a single
 * server as it is, so there the origin is known and requests stay as they are.
 */
import { RPC } from "../errors.ts";
import type { ServerRef } from "../calls/identifier.ts";
import type { ServerRequest, RequestSource } from "../calls/server-request.ts";
import { hasUnseen, withVisibleControls } from "../text/visible.ts";
import { shownName } from "../text/shown-name.ts";
import { inexactKey, shapeOf } from "../wire/exact-keys.ts";
import { elementsOf, memberText, withMembers } from "../wire/members.ts";
import { parseWithinLimits } from "../wire/json-limits.ts";
import { PARAMS } from "../wire/message-shape.ts";
import {
  type JsonObject,
  type RpcError,
  errorText,
  isObject,
  responseMessage,
} from "../wire/messages.ts";
import { resemblesStandardMethod } from "../wire/method-names.ts";
import type { ServerResponse } from "../wire/response.ts";
import { inputResultIn } from "../calls/input-requests.ts";

export { refusalByCapabilities } from "../protocol/answerable.ts";

const ORIGIN_KEY = "mcp-workbench/origin";
const ELICITATION = "elicitation/create";
const SAMPLING = "sampling/createMessage";
const ROOTS = "roots/list";
const ERROR_DATA = shapeOf(["elicitations"]);
/** How many control characters a text for the user may have. */
const MAX_CONTROLS = 10_000;
/** How many elicitations one error may ask for; no user answers more. */
const MAX_ELICITATIONS = 100;
/** The JSON-RPC error with which a server asks for elicitation by URL before it continues. */
const URL_ELICITATION_REQUIRED = -32042;

/**
 * Prepares a server's request for a client; returns the error it gets instead if the client must not
 * be asked.
 */
export function prepareServerRequest(
  serverRequest: ServerRequest,
  isDuringCall: boolean,
  isTransparent: boolean,
): RpcError | undefined {
  const { method, from } = serverRequest;
  // A client of a single server knows who asks; only the setting that forbids requests applies.
  const refusal = refusalOf(method, from, isDuringCall || isTransparent);
  if (refusal !== undefined || isTransparent) return refusal;
  const params = withOrigin(method, serverRequest.params, from.place, serverRequest.request.params);
  if (typeof params !== "string") return params;
  serverRequest.params = params;
  return undefined;
}

/** Why the server may not send this request now, by its setting `questions`; undefined if it may. */
function refusalOf(
  method: string,
  { place, mayAsk }: RequestSource,
  isDuringCall: boolean,
): RpcError | undefined {
  if (resemblesStandardMethod(method))
    return { code: RPC.methodNotFound, message: `Method not found: ${shownName(method)}` };
  if (method !== ELICITATION && method !== SAMPLING) return undefined;
  if (mayAsk === "always" || (mayAsk === "duringCalls" && isDuringCall)) return undefined;
  const rule =
    mayAsk === "off"
      ? `${method} is disabled`
      : `${method} is only allowed while the server works on a call`;
  return {
    code: RPC.invalidRequest,
    message: `${rule} (setting "questions" of server '${place.server}' in toolbox '${place.toolbox}')`,
  };
}

/**
 * The parameters of a server's request with its origin, as JSON; an error if they cannot be shown.
 * `parsed` are the same parameters if they have been parsed and checked already, which takes long.
 */
function withOrigin(
  method: string,
  params: string,
  place: ServerRef,
  parsed?: JsonObject,
): string | RpcError {
  if (method === ROOTS) return params;
  const value: unknown = parsed ?? JSON.parse(params);
  if (!isObject(value)) return invalid("params must be an object");
  const inexact = parsed === undefined ? inexactKey(params, PARAMS) : undefined;
  if (inexact !== undefined) return invalid(inexact.reason);
  const changes: Record<string, string> = { _meta: originMeta(params, place) };
  if (method === ELICITATION) {
    const { message = "", url } = value;
    if (url !== undefined && !isWebUrl(url)) return invalid("url must be an http or https URL");
    const shown = prefixed("message", message, place);
    if (typeof shown !== "string") return shown;
    changes["message"] = shown;
  } else if (method === SAMPLING) {
    const { systemPrompt = "" } = value;
    const shown = prefixed("systemPrompt", systemPrompt, place);
    if (typeof shown !== "string") return shown;
    changes["systemPrompt"] = shown;
    if (value["includeContext"] !== undefined) changes["includeContext"] = '"none"';
  }
  return withMembers(params, changes);
}

/** A text of a request with its origin in front of it, as JSON; an error if it cannot be shown. */
function prefixed(key: string, text: unknown, { toolbox, server }: ServerRef): string | RpcError {
  if (typeof text !== "string") return invalid(`${key} must be a string`);
  // A carriage return or a backspace would let a terminal overwrite the prefix.
  const shown = withVisibleControls(text, MAX_CONTROLS);
  if (shown === undefined) return invalid(`${key} has too many control characters`);
  return JSON.stringify(`[${toolbox}/${server}] ${shown}`);
}

/** The body of a response, or the error that takes its place. */
export type ShownResponse =
  | { readonly member: "result" | "error"; readonly text: string }
  | RpcError;

/**
 * The body of a response in which a server asks for input, with the origin of each request: a
 * result with input requests, of a call or a task, or the error that asks for elicitation by URL.
 * Undefined for every other response, which is forwarded unchanged.
 */
export function responseWithOrigin(
  response: ServerResponse,
  source: RequestSource,
  isTransparent: boolean,
): ShownResponse | undefined {
  // A transparent view shows requests unchanged, unless the server may not send any.
  if (isTransparent && source.mayAsk !== "off") return undefined;
  const shown = response.isError
    ? errorWithOrigin(response, source)
    : resultWithOrigin(response, source);
  return isTransparent && shown !== undefined && "member" in shown ? undefined : shown;
}

function resultWithOrigin(
  response: ServerResponse,
  source: RequestSource,
): ShownResponse | undefined {
  const asked = inputResultIn(response);
  if (asked === undefined || "code" in asked) return asked;
  const shown: string[] = [];
  for (const [key, request] of asked.requests) {
    const refused = refusalOf(request.method, source, true);
    if (refused !== undefined) return refused;
    const params = withOrigin(request.method, request.params, source.place);
    if (typeof params !== "string") return params;
    shown.push(`${JSON.stringify(key)}:${withMembers(request.text, { params })}`);
  }
  const inputRequests = `{${shown.join(",")}}`;
  return { member: "result", text: withMembers(asked.text, { inputRequests }) };
}

/** A response as the client sees it, as JSON. */
export function shownResponse(idText: string, shown: ShownResponse): string {
  if (!("member" in shown)) return errorText(idText, shown);
  return responseMessage(idText, shown.member, shown.text);
}

function errorWithOrigin(
  response: ServerResponse,
  source: RequestSource,
): ShownResponse | undefined {
  const error = memberText(response.withId("0"), "error") ?? "{}";
  if (!hasMember(error, "code", URL_ELICITATION_REQUIRED)) return undefined;
  parseWithinLimits(error);
  const data = memberText(error, "data") ?? "{}";
  const inexact = inexactKey(data, ERROR_DATA);
  if (inexact !== undefined) return invalid(inexact.reason);
  const asked = elementsOf(memberText(data, "elicitations") ?? "[]");
  if (asked === undefined || asked.length === 0) return undefined;
  if (asked.length > MAX_ELICITATIONS)
    return invalid(`more than ${MAX_ELICITATIONS} elicitations at once`);
  const refused = refusalOf(ELICITATION, source, true);
  if (refused !== undefined) return refused;
  const shown: string[] = [];
  for (const text of asked) {
    const params = withOrigin(ELICITATION, text, source.place);
    if (typeof params !== "string") return params;
    shown.push(params);
  }
  const changes = { data: withMembers(data, { elicitations: `[${shown.join(",")}]` }) };
  return { member: "error", text: withMembers(error, changes) };
}

function hasMember(text: string, key: string, expected: unknown): boolean {
  const value = memberText(text, key);
  return value !== undefined && JSON.parse(value) === expected;
}

function originMeta(params: string, { toolbox, server }: ServerRef): string {
  const written = memberText(params, "_meta");
  const given = written?.startsWith("{") ? written : "{}";
  return withMembers(given, { [ORIGIN_KEY]: JSON.stringify({ toolbox, server }) });
}

/** Without invisible characters: URL parsers skip line breaks and tabs, users do not see them. */
function isWebUrl(url: unknown): boolean {
  return (
    typeof url === "string" && /^https?:\/\//i.test(url) && !hasUnseen(url) && URL.canParse(url)
  );
}

function invalid(reason: string): RpcError {
  return { code: RPC.invalidParams, message: `Invalid parameters: ${reason}` };
}
