import type { JsonObject } from "../text/json.ts";
import type { IdPosition } from "./response-id.ts";
import {
  NOT_JSON,
  literalValueEnd,
  nothingAfter,
  plainStringEnd,
  strictKeyedValue,
  strictMemberValue,
  strictValueEnd,
  unsignedEnd,
  skipSpace,
} from "./strict-json.ts";
import { CLOSE_BRACE, COMMA, OPEN_BRACE, QUOTE } from "./characters.ts";

/**
 * The two messages that nearly all traffic consists of, a `tools/call` and its answer, each measured
 * in one pass over its text. Whatever is not exactly that, in whatever way, is left to JSON.parse.
 */

/** The members of a message. */
const JSONRPC = 1;
const ID = 2;
const METHOD = 4;
const PARAMS = 8;
const BODY = 16;

/**
 * A `tools/call` with nothing but a name and arguments. It can be used wherever an `IncomingRequest`
 * can, which refers to it.
 */
export class PlainCall {
  readonly method = "tools/call";
  readonly text: string;
  idText = "";
  /** The position of the id. */
  idStart = 0;
  idEnd = 0;
  /** The name of the tool. */
  name = "";
  /** The position of the arguments; 0 if there are none. */
  argumentsStart = 0;
  argumentsEnd = 0;
  /** The positions of the members `tool` and `arguments` in the arguments; 0 if missing. */
  toolStart = 0;
  innerStart = 0;
  innerEnd = 0;
  /** Whether the arguments have members other than these two, or one of them twice. */
  hasOthers = false;
  #params: JsonObject | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get plain(): this {
    return this;
  }

  get id(): string | number {
    return JSON.parse(this.idText) as string | number;
  }

  get params(): JsonObject {
    this.#params ??= (JSON.parse(this.text) as { params: JsonObject }).params;
    return this.#params;
  }
}

export function readPlainCall(text: string): PlainCall | undefined {
  const call = new PlainCall(text);
  let seen = 0;
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
      at = idEnd(call, strictKeyedValue(text, at + 4));
    } else if (text.startsWith('"method"', at)) {
      member = METHOD;
      at = literalValueEnd(text, at + 8, '"tools/call"');
    } else if (text.startsWith('"params"', at)) {
      member = PARAMS;
      at = paramsEnd(call, strictKeyedValue(text, at + 8));
    } else return undefined;
    if (at === NOT_JSON || (seen & member) !== 0) return undefined;
    seen |= member;
    at = skipSpace(text, at);
  } while (text.charCodeAt(at) === COMMA);
  const whole = seen === (JSONRPC | ID | METHOD | PARAMS) && text.charCodeAt(at) === CLOSE_BRACE;
  return whole && nothingAfter(text, at + 1) ? call : undefined;
}

function idEnd(call: PlainCall, at: number): number {
  const { text } = call;
  const end = text.charCodeAt(at) === QUOTE ? plainStringEnd(text, at) : unsignedEnd(text, at);
  if (end === NOT_JSON) return NOT_JSON;
  call.idStart = at;
  call.idEnd = end;
  call.idText = text.slice(at, end);
  return end;
}

function paramsEnd(call: PlainCall, start: number): number {
  const { text } = call;
  if (text.charCodeAt(start) !== OPEN_BRACE) return NOT_JSON;
  let at = start;
  do {
    at = skipSpace(text, at + 1);
    if (text.startsWith('"name"', at) && call.name === "") {
      const value = strictKeyedValue(text, at + 6);
      at = plainStringEnd(text, value);
      if (at === NOT_JSON) return NOT_JSON;
      call.name = text.slice(value + 1, at - 1);
      if (call.name === "") return NOT_JSON;
    } else if (text.startsWith('"arguments"', at) && call.argumentsStart === 0) {
      call.argumentsStart = strictKeyedValue(text, at + 11);
      at = argumentsEnd(call, call.argumentsStart);
      if (at === NOT_JSON) return NOT_JSON;
      call.argumentsEnd = at;
    } else return NOT_JSON;
    at = skipSpace(text, at);
  } while (text.charCodeAt(at) === COMMA);
  return call.name !== "" && text.charCodeAt(at) === CLOSE_BRACE ? at + 1 : NOT_JSON;
}

/** Measures an object, and finds its members `tool` and `arguments`. */
function argumentsEnd(call: PlainCall, start: number): number {
  const { text } = call;
  if (text.charCodeAt(start) !== OPEN_BRACE) return NOT_JSON;
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === CLOSE_BRACE) return at + 1;
  for (;;) {
    const value = strictMemberValue(text, at);
    if (value === NOT_JSON) return NOT_JSON;
    const end = strictValueEnd(text, value);
    if (end === NOT_JSON) return NOT_JSON;
    if (text.startsWith('"tool"', at) && call.toolStart === 0) call.toolStart = value;
    else if (text.startsWith('"arguments"', at) && call.innerStart === 0) {
      call.innerStart = value;
      call.innerEnd = end;
    } else call.hasOthers = true;
    at = skipSpace(text, end);
    const c = text.charCodeAt(at);
    if (c === CLOSE_BRACE) return at + 1;
    if (c !== COMMA) return NOT_JSON;
    at = skipSpace(text, at + 1);
  }
}

/** An answer with an id of the workbench and a result or an error, once each and nothing else. */
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
