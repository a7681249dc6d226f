import { MAX_IN_BATCH } from "../../../protocol/versions.ts";
import { headOf } from "../../../wire/byte-parts.ts";
import { type EventHandlers, EventStreamReader } from "../../../wire/event-stream.ts";
import { tryParseWithinLimits } from "../../../wire/json-limits.ts";
import { Line } from "../../../wire/lines.ts";
import { elementsOf } from "../../../wire/members.ts";
import type { HttpResponse } from "./http-response.ts";
import { RemoteFailure } from "./remote-failure.ts";
import { CARRIAGE_RETURN, LINE_FEED, OPEN_BRACKET, SPACE } from "../../../wire/characters.ts";

export interface MessageHandlers {
  line(line: Line): void;
  oversized(head: Buffer, bytes: number): void;
}

/** How much of a media type appears in messages. */
export const MAX_MEDIA_TYPE_CHARS = 80;

const OVERSIZED_HEAD = 256;

/** Reads all messages of a response, which is JSON or an event stream. */
export function readMessages(
  response: HttpResponse,
  limit: number,
  handlers: MessageHandlers,
): Promise<void> {
  const { mediaType } = response;
  if (response.isEventStream) return readEvents(response, limit, handlers);
  if (isJson(mediaType)) return readJson(response, limit, handlers);
  response.cancel();
  const type = mediaType.slice(0, MAX_MEDIA_TYPE_CHARS);
  return Promise.reject(new RemoteFailure("wrongContent", response.host, type));
}

/** Whether a body of this type may be JSON; some servers do not name the type. */
export function isJson(mediaType: string): boolean {
  return mediaType === "application/json" || mediaType === "" || mediaType.endsWith("+json");
}

/** Ends the response as soon as one event is too large: it may never end. */
export function endingAtLimit(
  response: HttpResponse,
  handlers: EventHandlers,
  onExceeded: () => void,
): EventHandlers {
  return {
    ...handlers,
    oversized: (head, bytes) => {
      onExceeded();
      response.cancel();
      handlers.oversized(head, bytes);
    },
  };
}

async function readEvents(
  response: HttpResponse,
  limit: number,
  handlers: MessageHandlers,
): Promise<void> {
  let exceeded = false;
  const ending = endingAtLimit(response, messageEvents(handlers), () => {
    exceeded = true;
  });
  const reader = new EventStreamReader(limit, ending);
  try {
    await response.read((chunk, mayGoOn) => reader.push(chunk, mayGoOn));
  } catch (error) {
    if (!exceeded) throw error;
  }
}

/** Messages are events of the type "message"; others are ignored. */
export function messageEvents(handlers: MessageHandlers): EventHandlers {
  return {
    event: (type, data) => {
      if (type === "message") passOn(data, handlers);
    },
    oversized: (head, bytes) => handlers.oversized(head, bytes),
  };
}

async function readJson(
  response: HttpResponse,
  limit: number,
  handlers: MessageHandlers,
): Promise<void> {
  const { parts, bytes, complete } = await response.collect(limit);
  if (!complete) {
    handlers.oversized(headOf(parts, OVERSIZED_HEAD), bytes);
    return;
  }
  for (const part of parts) putOnOneLine(part);
  if (bytes > 0) passOn(new Line(parts, bytes), handlers);
}

/** Protocol version 2025-03-26 lets a server put several messages into an array. */
function passOn(line: Line, handlers: Pick<MessageHandlers, "line">): void {
  const elements = startsWithBracket(line) ? batchOf(line.text) : undefined;
  if (elements === undefined) handlers.line(line);
  else for (const element of elements) handlers.line(Line.of(element));
}

/**
 * Messages are passed on as lines. A line break in JSON text can only be white space between two
 * tokens, so a space can replace it.
 */
export function putOnOneLine(bytes: Buffer): void {
  for (const lineBreak of [LINE_FEED, CARRIAGE_RETURN])
    for (let at = bytes.indexOf(lineBreak); at >= 0; at = bytes.indexOf(lineBreak, at + 1))
      bytes[at] = SPACE;
}

function startsWithBracket(line: Line): boolean {
  const [first] = line.parts;
  return (
    first?.[0] === OPEN_BRACKET || (first?.[0] === SPACE && line.head(64).trimStart()[0] === "[")
  );
}

function batchOf(text: string): string[] | undefined {
  const messages = tryParseWithinLimits(text);
  return Array.isArray(messages) && messages.length <= MAX_IN_BATCH ? elementsOf(text) : undefined;
}
