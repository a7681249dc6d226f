import { RPC, type WorkbenchError } from "../../errors.ts";
import type { ServerRef } from "../../calls/identifier.ts";
import { errorText } from "../../wire/messages.ts";
import { requestIdOf } from "../../wire/request-id.ts";
import { kindOfHead, locateId } from "../../wire/response-id.ts";
import type { ExcessiveMessage } from "../../wire/response.ts";
import { tooComplexError, tooLargeError } from "../../calls/call-errors.ts";
import type { Connection } from "./connection.ts";
import type { Host } from "../host.ts";
import { isFirst } from "./unreadable-input.ts";

/** A message of a server that was dropped without being parsed. */
export interface UnreadMessage {
  /** Its first and last bytes. */
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly bytes: number;
  /** The limit it exceeds, for the log and the server. */
  readonly problem: string;
  /** The same for its caller. */
  readonly error: WorkbenchError;
}

const NO_BYTES: Buffer = Buffer.alloc(0);

/** A message with more bytes than `limits.messageBytes`. */
export function oversizedMessage(
  place: ServerRef,
  limit: number,
  head: Buffer,
  bytes: number,
  tail = NO_BYTES,
): UnreadMessage {
  const problem = `of ${limit} (limits.messageBytes)`;
  return { head, tail, bytes, problem, error: tooLargeError(place, bytes, limit) };
}

/** A message that would take too long to parse. */
export function excessiveMessage(
  place: ServerRef,
  { head, tail, reason }: ExcessiveMessage,
  bytes: number,
): UnreadMessage {
  return { head, tail, bytes, problem: `(${reason})`, error: tooComplexError(place, reason) };
}

/** Whether the message is an answer; undefined if its first bytes do not show that. */
export function isAnswer({ head }: UnreadMessage): boolean | undefined {
  const kind = kindOfHead(head.toString("latin1"));
  return kind && kind === "answer";
}

/** The id of the call that it answers, if it is at one of its ends. */
export function answeredId({ head, tail, bytes }: UnreadMessage): number | undefined {
  return locateId(head.toString("latin1"), tail.toString("latin1"), bytes)?.id;
}

/** A request that is too large gets an error response; a notification is lost. */
export function refuseUnread(
  connection: Connection,
  { log }: Host,
  { head, tail, bytes, problem }: UnreadMessage,
): void {
  const message = `a message of ${bytes} bytes exceeds the limit ${problem}`;
  if (isFirst(connection, "unread")) log.warn(`ignored ${message}`, connection.place);
  const idText = requestIdOf(head, tail);
  if (idText !== undefined)
    connection.send(errorText(idText, { code: RPC.invalidRequest, message }));
}
