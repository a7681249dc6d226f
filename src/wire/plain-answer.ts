import type { IdPosition } from "./response-id.ts";
import {
  NOT_JSON,
  literalValueEnd,
  nothingAfter,
  strictKeyedValue,
  strictValueEnd,
  unsignedEnd,
  skipSpace,
} from "./strict-json.ts";

const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const JSONRPC = 1;
const ID = 2;
const BODY = 4;

/**
 * The most frequent answer of servers, measured in one pass over its text: an id of the workbench
 * and a result or an error, once each and nothing else. Anything that differs in any way is left to
 * JSON.parse.
 */
export function readPlainAnswer(text: string): IdPosition | undefined {
  let seen = 0;
  let start = 0;
  let end = 0;
  let body = 0;
  let isError = false;
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== OPEN_BRACE) return undefined;
  do {
    at = skipSpace(text, at + 1);
    let member: number;
    if (text.startsWith('"jsonrpc"', at)) {
      member = JSONRPC;
      at = literalValueEnd(text, at + 9, '"2.0"');
    } else if (text.startsWith('"id"', at)) {
      member = ID;
      start = strictKeyedValue(text, at + 4);
      at = end = unsignedEnd(text, start);
    } else if (text.startsWith('"result"', at)) {
      member = BODY;
      body = strictKeyedValue(text, at + 8);
      at = strictValueEnd(text, body);
    } else if (text.startsWith('"error"', at)) {
      member = BODY;
      isError = true;
      body = strictKeyedValue(text, at + 7);
      at = text.charCodeAt(body) === OPEN_BRACE ? strictValueEnd(text, body) : NOT_JSON;
    } else return undefined;
    if (at === NOT_JSON || (seen & member) !== 0) return undefined;
    seen |= member;
    at = skipSpace(text, at);
  } while (text.charCodeAt(at) === COMMA);
  if (seen !== (JSONRPC | ID | BODY) || text.charCodeAt(at) !== CLOSE_BRACE) return undefined;
  if (!nothingAfter(text, at + 1)) return undefined;
  return { id: Number(text.slice(start, end)), start, end, isError, body };
}
