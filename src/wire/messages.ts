import { RPC } from "../errors.ts";
import { inexactKey } from "./exact-keys.ts";
import { memberText, withMembers } from "./members.ts";
import { MESSAGE } from "./message-shape.ts";
import type { PlainCall } from "./plain-messages.ts";
import { type JsonObject, isObject } from "../text/json.ts";

export { type JsonObject, isObject };

/** JSON-RPC 2.0 messages as the workbench handles them. */

export type RequestId = string | number;
export type ProgressToken = string | number;

/** A request of the peer, with its text: values are forwarded from there. */
export interface IncomingRequest {
  readonly id: RequestId;
  /** The id as JSON, exactly as the peer gets it back. */
  readonly idText: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly text: string;
  /** The positions of its parts, for the most frequent request. */
  readonly plain?: PlainCall;
}

export interface IncomingNotification {
  readonly method: string;
  readonly params: JsonObject;
  /** The original text, if it is forwarded unchanged. */
  readonly text?: string;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface IncomingResponse {
  readonly id: RequestId;
  readonly result?: unknown;
  readonly error?: RpcError;
}

export type Incoming =
  | { readonly kind: "request"; readonly request: IncomingRequest }
  | { readonly kind: "notification"; readonly notification: IncomingNotification }
  | { readonly kind: "response"; readonly response: IncomingResponse }
  | InvalidMessage;

export interface InvalidMessage {
  readonly kind: "invalid";
  readonly idText: string;
  readonly reason: string;
  /** The JSON-RPC error code. */
  readonly code: number;
  /** The id of the request that it would have been the response to. */
  readonly answers?: RequestId;
}

const NO_PARAMS: JsonObject = Object.freeze({});

/** Classifies a parsed message as request, notification, response or none of these. */
export function classify(message: unknown, text: string): Incoming {
  if (!isObject(message)) return invalid("null", "a message must be a JSON object");
  const { id, method, params } = message;
  const hasId = typeof id === "number" || typeof id === "string";
  const idText = hasId ? idTextOf(id, text) : "null";
  const hasOutcome = "result" in message || "error" in message;
  // The caller that waits for a response has to learn that it cannot be used.
  const answers = hasId && hasOutcome && typeof method !== "string" ? { answers: id } : undefined;
  const inexact = inexactKey(text, MESSAGE);
  if (inexact !== undefined) {
    const code = inexact.path[0] === "params" ? RPC.invalidParams : RPC.invalidRequest;
    return { ...invalid(idText, inexact.reason, code), ...answers };
  }
  if (method === undefined) {
    if (!hasOutcome) return invalid(idText, "neither a method nor a result");
    const problem = outcomeProblem(message);
    if (problem !== undefined) return { ...invalid(idText, problem), ...answers };
    // An error that could not be related to a request has no id.
    if ("error" in message || hasId)
      return { kind: "response", response: message as unknown as IncomingResponse };
    return invalid(idText, "a result without an id");
  }
  if (hasOutcome) return { ...invalid(idText, "both a method and a result"), ...answers };
  if (typeof method !== "string") return invalid(idText, "the method must be a string");
  if (params !== undefined && !isObject(params)) return invalid(idText, "params must be an object");
  if (id === undefined)
    return { kind: "notification", notification: { method, params: params ?? NO_PARAMS, text } };
  if (!hasId) return invalid(idText, "the id must be a string or a number");
  return { kind: "request", request: { id, idText, method, params: params ?? NO_PARAMS, text } };
}

/** What is wrong with a response that readers might understand differently. */
function outcomeProblem(message: JsonObject): string | undefined {
  if (!("error" in message)) return undefined;
  if ("result" in message) return "both a result and an error";
  return isObject(message["error"]) ? undefined : "the error must be an object";
}

/** The same for messages that must state their JSON-RPC version. */
export function classifyStrict(message: unknown, text: string): Incoming {
  const incoming = classify(message, text);
  if (incoming.kind === "invalid" || (message as JsonObject)["jsonrpc"] === "2.0") return incoming;
  const idText = incoming.kind === "request" ? incoming.request.idText : "null";
  const answers = incoming.kind === "response" ? incoming.response.id : undefined;
  const refused = invalid(idText, 'jsonrpc must be "2.0"');
  return answers === undefined || answers === null ? refused : { ...refused, answers };
}

/** The id as the peer wrote it. */
function idTextOf(id: RequestId, text: string): string {
  return writtenId(id, () => memberText(text, "id"));
}

/** An id or token as JSON; as the peer wrote it if JavaScript cannot represent its digits. */
export function writtenId(
  id: RequestId | ProgressToken,
  written: () => string | undefined,
): string {
  const isExact = typeof id === "string" || Number.isSafeInteger(id);
  return (isExact ? undefined : written()) ?? JSON.stringify(id);
}

export function writtenMeta({ text }: IncomingRequest): string {
  return memberText(memberText(text, "params") ?? "{}", "_meta") ?? "{}";
}

/** The id of the request that a notification cancels, as `idText` of the request was written. */
export function cancelledId(notification: IncomingNotification): string | undefined {
  const { requestId: id } = notification.params;
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  return writtenId(id, () => memberText(paramsText(notification), "requestId"));
}

function invalid(
  idText: string,
  reason: string,
  code: number = RPC.invalidRequest,
): InvalidMessage {
  return { kind: "invalid", idText, reason, code };
}

/** A response around the JSON text of its result or error. */
export function responseMessage(idText: string, member: "result" | "error", text: string): string {
  return `{"jsonrpc":"2.0","id":${idText},"${member}":${text}}`;
}

/** A request around the JSON text of its parameters. */
export function requestMessage(idText: string, method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":${idText},"method":${JSON.stringify(method)},"params":${params}}`;
}

/** A notification around the JSON text of its parameters. */
export function notificationMessage(method: string, params: string): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}`;
}

/** A response with this result; a string is taken as JSON text. */
export function resultText(idText: string, result: JsonObject | string): string {
  const text = typeof result === "string" ? result : JSON.stringify(result);
  return responseMessage(idText, "result", text);
}

/** A response with this error; its code is written first. */
export function errorText(idText: string, { code, ...rest }: RpcError): string {
  return responseMessage(idText, "error", JSON.stringify({ code, ...rest }));
}

export function requestText(id: RequestId, method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

export function notificationText(method: string, params?: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

/** The parameters of a notification as they were written. */
function paramsText({ params, text }: IncomingNotification): string {
  const written = text === undefined ? undefined : memberText(text, "params");
  return written ?? JSON.stringify(params);
}

/** A notification to be forwarded, with its parameters as they were written. */
export function forwardedText(notification: IncomingNotification): string {
  return notificationMessage(notification.method, paramsText(notification));
}

/** A progress notification to be forwarded, with the receiver's own token, which is JSON. */
export function progressText(notification: IncomingNotification, token: string): string {
  const params = withMembers(paramsText(notification), { progressToken: token });
  return notificationMessage(notification.method, params);
}
