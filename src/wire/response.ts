import { Line } from "./lines.ts";
import { membersOf } from "./members.ts";
import { type Incoming, type RpcError, classify, isObject } from "./messages.ts";
import type { Outbox } from "./outbox.ts";
import { HEAD_BYTES, type IdPosition, TAIL_BYTES, locateId } from "./response-id.ts";

/**
 * Lines up to this size are parsed before they are forwarded, so that a client never receives text
 * that is not JSON. Above it parsing would cost more than the call; a large line counts as a
 * response if both of its ends say so.
 */
const PARSE_LIMIT = 16 * 1024;

/** An answer of a server, on its way to whoever asked. */
export class ServerResponse {
  readonly #line: Line;
  readonly #at: IdPosition;
  readonly #small: boolean;

  constructor(line: Line, at: IdPosition, small: boolean) {
    this.#line = line;
    this.#at = at;
    this.#small = small;
  }

  get id(): number {
    return this.#at.id;
  }

  get isError(): boolean {
    return this.#at.isError;
  }

  get bytes(): number {
    return this.#line.bytes;
  }

  /** Writes the answer as a line, byte for byte, with `idText` in place of the server-side id. */
  writeLine(out: Outbox, idText: string): void {
    if (this.#small) {
      out.text(`${this.#spliced(idText)}\n`);
      return;
    }
    let offset = 0;
    for (const part of this.#line.parts) {
      this.#writePart(out, part, offset, idText);
      offset += part.length;
    }
    out.text("\n");
  }

  /** The answer as text with another id. */
  withId(idText: string): string {
    if (this.#small) return this.#spliced(idText);
    const { text } = this.#line;
    const at = locateId(text.slice(0, HEAD_BYTES), text.slice(-TAIL_BYTES), text.length) ?? this.#at;
    return text.slice(0, at.start) + idText + text.slice(at.end);
  }

  parse(): { result?: unknown; error?: RpcError } {
    return JSON.parse(this.#line.text) as { result?: unknown; error?: RpcError };
  }

  #spliced(idText: string): string {
    const { text } = this.#line;
    return text.slice(0, this.#at.start) + idText + text.slice(this.#at.end);
  }

  #writePart(out: Outbox, part: Buffer, offset: number, idText: string): void {
    const { start, end } = this.#at;
    const last = offset + part.length;
    if (last <= start || offset >= end) {
      out.bytes(part);
      return;
    }
    if (start > offset) out.bytes(part.subarray(0, start - offset));
    // An id cut in two by a chunk border is written once, with the part it starts in.
    if (start >= offset) out.text(idText);
    if (end < last) out.bytes(part.subarray(end - offset));
  }
}

export type ServerMessage =
  | { readonly kind: "answer"; readonly response: ServerResponse }
  | Exclude<Incoming, { kind: "response" }>
  | { readonly kind: "noise" };

/** What a line of a server is. Anything that is no JSON-RPC message is noise, to be counted. */
export function readServerLine(line: Line): ServerMessage {
  if (line.bytes > PARSE_LIMIT) {
    const at = locateId(line.head(HEAD_BYTES), line.tail(TAIL_BYTES), line.bytes);
    if (at !== undefined && endsLikeObject(line))
      return { kind: "answer", response: new ServerResponse(line, at, false) };
  }
  const { text } = line;
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) return readServerLine(Line.of(text.slice(1)));
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return NOISE;
  }
  if (!isObject(message)) return NOISE;
  if (message["method"] !== undefined) {
    const incoming = classify(message, text);
    return incoming.kind === "response" ? NOISE : incoming;
  }
  const at = locateId(text.slice(0, HEAD_BYTES), text.slice(-TAIL_BYTES), text.length);
  const found = at?.id === message["id"] ? at : locateByMembers(text, message);
  if (found === undefined) return NOISE;
  return { kind: "answer", response: new ServerResponse(line, found, true) };
}

const BYTE_ORDER_MARK = 0xfe_ff;
const NOISE: ServerMessage = { kind: "noise" };

function endsLikeObject(line: Line): boolean {
  return line.tail(TAIL_BYTES).trimEnd().endsWith("}");
}

/** For members in an order that `locateId` does not know. */
function locateByMembers(text: string, message: Record<string, unknown>): IdPosition | undefined {
  const { id } = message;
  const isError = isObject(message["error"]);
  if (typeof id !== "number" || (!isError && message["result"] === undefined)) return undefined;
  const at = membersOf(text)?.get("id");
  return at && { id, start: at.start, end: at.end, isError };
}
