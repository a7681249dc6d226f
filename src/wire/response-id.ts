import { skipSpace } from "./strict-json.ts";

/**
 * Finds the id of a JSON-RPC response without parsing it, so that its bytes can be forwarded with
 * only the id replaced. The workbench assigns integer ids, so it looks for nothing else.
 *
 * Two positions are supported, which cover the SDKs of all languages: the id before
 * `result`/`error` (`{"jsonrpc":"2.0","id":7,"result":…`), and the id as the last member
 * (`{"result":…,"jsonrpc":"2.0","id":7}`). The second is sound because the last `}` of the text
 * closes the outer object, and `,"id":7` right before it can only be that object's last member: an
 * unescaped quote after a comma opens a key. Anything else is left to the parser.
 */

export interface IdPosition {
  readonly id: number;
  /** Byte offsets of the digits, counted from the start of the line. */
  readonly start: number;
  readonly end: number;
  readonly isError: boolean;
  /** The start of the value of `result` or `error`. */
  readonly body: number;
}

/** How much of both ends of a line is searched. */
export const HEAD_BYTES = 96;
export const TAIL_BYTES = 64;

const MEMBER_BEFORE_BODY =
  /\s*"(jsonrpc|id|result|error)"\s*:\s*(?:"2\.0"\s*,|(\d{1,15})\s*,|(?=[[{]))/y;
const ID_LAST = /,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

export function locateId(head: string, tail: string, bytes: number): IdPosition | undefined {
  let at = skipSpace(head, 0);
  if (head[at++] !== "{") return undefined;
  let id: { value: number; start: number; end: number } | undefined;
  for (let members = 0; members < 3; members++) {
    MEMBER_BEFORE_BODY.lastIndex = at;
    const match = MEMBER_BEFORE_BODY.exec(head);
    if (match === null) return undefined;
    const [whole, key, digits] = match;
    if (key === "id" && id !== undefined) return undefined;
    if (key === "result" || key === "error") {
      if (digits !== undefined || whole.endsWith(",")) return undefined;
      const isError = key === "error";
      const body = at + whole.length;
      if (id === undefined) return idAtEnd(tail, bytes, isError, body);
      return { id: id.value, start: id.start, end: id.end, isError, body };
    }
    if (key === "id") {
      if (digits === undefined) return undefined;
      const start = at + whole.lastIndexOf(digits);
      id = { value: Number(digits), start, end: start + digits.length };
    } else if (!whole.endsWith(",") || digits !== undefined) return undefined;
    at += whole.length;
  }
  return undefined;
}

function idAtEnd(
  tail: string,
  bytes: number,
  isError: boolean,
  body: number,
): IdPosition | undefined {
  const match = ID_LAST.exec(tail);
  if (match === null) return undefined;
  const digits = match[1] as string;
  const start = bytes - tail.length + match.index + match[0].indexOf(digits, match[0].indexOf(":"));
  return { id: Number(digits), start, end: start + digits.length, isError, body };
}

const VERSION = /"jsonrpc"/g;
const NOTHING_LEFT = /^\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;
const ID_LEFT =
  /^\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?,\s*"id"\s*:\s*\d{1,15}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/**
 * True if a response has nothing but its version, its id and its result or error, once each. `before`
 * and `after` are the texts around the result, and the id was located in one of them: a second id, or
 * a method, could make it something else to the client that reads it.
 */
export function isExactAnswer(before: string, after: string, { start, body }: IdPosition): boolean {
  const rest = start < body ? NOTHING_LEFT : ID_LEFT;
  return rest.test(after) && `${before}${after}`.match(VERSION)?.length === 1;
}

const FIRST_TELLING_MEMBER =
  /^\s*\{\s*(?:"(?:jsonrpc|id)"\s*:\s*(?:"[^"]*"|\d+)\s*,\s*)*"(method|params|result|error)"/;

/** The kind of a message by its first bytes; undefined if they do not show it. */
export function kindOfHead(head: string): "answer" | "other" | undefined {
  const key = FIRST_TELLING_MEMBER.exec(head)?.[1];
  if (key === undefined) return undefined;
  return key === "result" || key === "error" ? "answer" : "other";
}
