import { Line } from "./lines.ts";
import { membersOf } from "./members.ts";
import { type Incoming, type RpcError, classify, isObject } from "./messages.ts";
import type { Outbox } from "./outbox.ts";
import { type Edit, editParts, editText } from "./splice.ts";
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

  /**
   * Writes the answer as a line, byte for byte, with `idText` in place of the server-side id and
   * `insert`, members with a comma behind each, at the start of a result.
   */
  writeLine(out: Outbox, idText: string, insert = ""): void {
    for (const piece of this.pieces(idText, insert))
      if (typeof piece === "string") out.text(piece);
      else out.bytes(piece);
    out.text("\n");
  }

  /** The same in pieces. */
  pieces(idText: string, insert = ""): (string | Buffer)[] {
    const edits = this.#edits(idText, this.isError ? "" : insert);
    return this.#small ? [editText(this.#line.text, edits)] : editParts(this.#line.parts, edits);
  }

  /** The whole answer as text under another id. */
  withId(idText: string): string {
    if (this.#small) return editText(this.#line.text, this.#edits(idText, ""));
    return Buffer.concat(
      this.pieces(idText).map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)),
    ).toString("utf8");
  }

  /** True if the bytes of the answer contain this text, wherever. */
  mentions(text: string): boolean {
    if (this.#small) return this.#line.text.includes(text);
    return Buffer.concat(this.#line.parts, this.#line.bytes).includes(text);
  }

  parse(): { result?: unknown; error?: RpcError } {
    return JSON.parse(this.#line.text) as { result?: unknown; error?: RpcError };
  }

  #edits(idText: string, insert: string): Edit[] {
    const { start, end, body } = this.#at;
    const id = { start, end, text: idText };
    if (insert === "") return [id];
    const empty = this.#line
      .head(body + 2 + HEAD_BYTES)
      .slice(body + 1)
      .trimStart()
      .startsWith("}");
    const added = { start: body + 1, end: body + 1, text: empty ? insert.slice(0, -1) : insert };
    return start < body ? [id, added] : [added, id];
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
  const members = membersOf(text);
  const at = members?.get("id");
  const body = members?.get(isError ? "error" : "result");
  return at && body && { id, start: at.start, end: at.end, isError, body: body.start };
}
