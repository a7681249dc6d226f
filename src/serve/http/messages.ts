import { RPC, type WorkbenchError, workbenchError } from "../../errors.ts";
import { BATCH_VERSION, MAX_IN_BATCH } from "../../protocol/versions.ts";
import { elementsOf } from "../../wire/members.ts";
import { type Incoming, type InvalidMessage, classify } from "../../wire/messages.ts";
import type { Body } from "./request-body.ts";

/** One message of a body, with its own text. */
export interface Received {
  readonly incoming: Incoming;
  readonly text: string;
}

/** The messages of a legacy client's body: one, or those of a batch. */
export function messagesIn(body: Body): readonly Received[] | WorkbenchError {
  const { plain, text } = body;
  if (plain !== undefined) return [{ incoming: { kind: "request", request: plain }, text }];
  const { message } = body;
  if (!Array.isArray(message)) return [{ incoming: classify(message, text), text }];
  const texts = message.length > MAX_IN_BATCH ? undefined : elementsOf(text);
  if (texts === undefined || texts.length === 0)
    return badRequest(`a batch holds 1 to ${MAX_IN_BATCH} messages`);
  return texts.map((own, i) => ({ incoming: classify(message[i], own), text: own }));
}

/** Why a session does not accept these messages. */
export function messagesProblem(
  messages: readonly Received[],
  isBatch: boolean,
  version: string | undefined,
  awaits: (idText: string) => boolean,
): WorkbenchError | undefined {
  if (isBatch && version !== BATCH_VERSION)
    return badRequest(
      `batches belong to protocol version ${BATCH_VERSION}; send each message in its own POST`,
    );
  const ids = isBatch ? new Set<string>() : undefined;
  for (const { incoming } of messages) {
    if (incoming.kind === "invalid") return invalidError(incoming);
    if (incoming.kind !== "request") continue;
    const { idText, method } = incoming.request;
    if (awaits(idText) || ids?.has(idText)) return badRequest("this id is still in use");
    if (isBatch && method === "initialize")
      return badRequest("initialize must not be part of a batch");
    ids?.add(idText);
  }
  return undefined;
}

/** The request id for the error when the whole body is refused. */
export function idTextOf([first, ...more]: readonly Received[]): string {
  if (first === undefined || more.length > 0) return "null";
  const { incoming } = first;
  if (incoming.kind === "request") return incoming.request.idText;
  return incoming.kind === "invalid" ? incoming.idText : "null";
}

/** The error for something that is not a valid message. */
export function invalidError({ code, reason }: InvalidMessage): WorkbenchError {
  return code === RPC.invalidParams
    ? workbenchError("INVALID_PARAMETERS", { reason })
    : badRequest(reason);
}

function badRequest(reason: string): WorkbenchError {
  return workbenchError("BAD_REQUEST", { reason });
}
