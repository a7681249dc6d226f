import { RPC } from "../errors.ts";
import { foldCase } from "../text/fold-case.ts";
import { bodyEnd } from "./body-end.ts";
import { inexactKey } from "./exact-keys.ts";
import { occursIn } from "./find-text.ts";
import { excessOf, parseWithinLimits } from "./json-limits.ts";
import { Line, type Outbox } from "./lines.ts";
import { membersOf, scanMembers, withMembers } from "./members.ts";
import { MESSAGE } from "./message-shape.ts";
import { type Incoming, type RpcError, classify, isObject } from "./messages.ts";
import { readPlainAnswer } from "./plain-messages.ts";
import { skipSpace } from "./strict-json.ts";
import { type Edit, editParts, editText } from "./splice.ts";
import { HEAD_BYTES, type IdPosition, TAIL_BYTES, isExactAnswer, locateId } from "./response-id.ts";

/**
 * Lines up to this size are checked completely before they are forwarded, so that a client never
 * receives text that is not JSON. For larger ones that would cost more than the call; a large line
 * counts as a response if the text around its result shows that it is one.
 */
const READ_LIMIT = 16 * 1024;

/**
 * Everything but a plain result has to be decoded, parsed and often rewritten, while everyone waits.
 * Results may be as large as `limits.messageBytes` allows.
 */
const MAX_PARSED_BYTES = 8 * 1024 * 1024;
/** How much of the ends of a dropped message is kept to find its id. */
const END_BYTES = 256;

/** A task is announced by a small answer; a large one is a result. */
const ANNOUNCEMENT_BYTES = 16 * 1024;
const TASK = '"taskId"';

/** Where `isError` is searched in a result. */
const END_CHARS = 400;
const TOOL_FAILED = /"isError"\s*:\s*true/;

interface ParsedAnswer {
  result?: unknown;
  error?: RpcError;
}

/** An answer of a server, on its way to the caller. */
export class ServerResponse {
  readonly #line: Line;
  readonly #at: IdPosition;
  readonly #small: boolean;
  /** The whole message, if it has been parsed. */
  readonly #parsed: ParsedAnswer | undefined;

  constructor(line: Line, at: IdPosition, small: boolean, parsed?: ParsedAnswer) {
    this.#line = line;
    this.#at = at;
    this.#small = small;
    this.#parsed = parsed;
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
   * Writes the answer as a line, as the server wrote it, with `idText` replacing the id on the
   * connection and `insert`, members each followed by a comma, at the start of a result that is an
   * object.
   */
  writeLine(out: Outbox, idText: string, insert = ""): void {
    if (this.#small && insert === "") {
      const { text } = this.#line;
      out.line(text.slice(0, this.#at.start) + idText + text.slice(this.#at.end));
    } else out.pieces(this.pieces(idText, insert));
  }

  /** The same in pieces. */
  pieces(idText: string, insert = ""): (string | Buffer)[] {
    const edits = this.#edits(idText, this.isError ? "" : insert);
    return this.#small ? [editText(this.#line.text, edits)] : editParts(this.#line.parts, edits);
  }

  /** The whole answer as text with another id. */
  withId(idText: string): string {
    if (this.#small) return editText(this.#line.text, this.#edits(idText, ""));
    return Buffer.concat(
      this.pieces(idText).map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)),
    ).toString("utf8");
  }

  /** True if the bytes of the answer contain this text anywhere. */
  mentions(text: string): boolean {
    return this.#small ? occursIn(this.#line.text, text) : this.#line.includes(text);
  }

  /** True for a result that may announce a task or belong to one; nearly every other is neither. */
  get mayConcernTask(): boolean {
    return !this.isError && this.bytes <= ANNOUNCEMENT_BYTES && this.mentions(TASK);
  }

  /**
   * True for an error about parameters, and for a result that may say that a tool failed: servers
   * write `isError` first or last, so only the ends are searched. The text of a string cannot match,
   * because its quotes are escaped; nested objects can.
   */
  get isFailure(): boolean {
    if (this.isError) return this.errorCode === RPC.invalidParams;
    if (!this.#small) return false;
    const { text } = this.#line;
    if (text.length <= 2 * END_CHARS) return TOOL_FAILED.test(text);
    return TOOL_FAILED.test(text.slice(-END_CHARS)) || TOOL_FAILED.test(text.slice(0, END_CHARS));
  }

  get errorCode(): number | undefined {
    const code: unknown = this.isError ? this.parse().error?.code : undefined;
    return typeof code === "number" ? code : undefined;
  }

  /** Throws if the middle of a large answer is not JSON, or exceeds the limits. */
  parse(): ParsedAnswer {
    return this.#parsed ?? (parseWithinLimits(this.#line.text) as ParsedAnswer);
  }

  #edits(idText: string, insert: string): Edit[] {
    const { start, end, body } = this.#at;
    const id = { start, end, text: idText };
    const added = insert === "" ? undefined : this.#insertion(insert);
    if (added === undefined) return [id];
    return start < body ? [id, added] : [added, id];
  }

  #insertion(members: string): Edit | undefined {
    const at = this.#at.body + 1;
    let text = this.#small ? this.#line.text : this.#line.head(at + HEAD_BYTES);
    if (text[at - 1] !== "{") return undefined;
    if (skipSpace(text, at) === text.length) text = this.#line.head(this.#line.bytes);
    const empty = text[skipSpace(text, at)] === "}";
    return { start: at, end: at, text: empty ? members.slice(0, -1) : members };
  }
}

export type ServerMessage =
  | { readonly kind: "answer"; readonly response: ServerResponse }
  | Exclude<Incoming, { kind: "response" }>
  /** An answer that readers may understand differently; `ids` are the calls it may belong to. */
  | { readonly kind: "inexact"; readonly ids: readonly number[]; readonly reason: string }
  | { readonly kind: "noise" }
  /** A message that is not parsed because it exceeds a limit. */
  | ExcessiveMessage;

export interface ExcessiveMessage {
  readonly kind: "excessive";
  readonly reason: string;
  /** Its first and last bytes. */
  readonly head: Buffer;
  readonly tail: Buffer;
}

/** Classifies a line of a server. Anything that is not a JSON-RPC message is noise. */
export function readServerLine(line: Line): ServerMessage {
  const unparsed = line.bytes > READ_LIMIT ? answerByEnds(line) : undefined;
  if (unparsed !== undefined) return unparsed;
  if (line.bytes > MAX_PARSED_BYTES) return tooLarge(line);
  const { text } = line;
  const plain = line.bytes > READ_LIMIT ? undefined : readPlainAnswer(text);
  if (plain !== undefined && (!plain.isError || isExactError(text)))
    return { kind: "answer", response: new ServerResponse(line, plain, true) };
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) return readServerLine(Line.of(text.slice(1)));
  const excess = excessOf(text);
  if (excess !== undefined) {
    if (line.bytes > READ_LIMIT) return excessive(line, excess);
    return isJson(text) ? (answerByEnds(line) ?? excessive(line, excess)) : NOISE;
  }
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return errorByEnds(line) ?? NOISE;
  }
  if (!isObject(message)) return NOISE;
  if (message["method"] !== undefined) {
    // A log line may have a method as well.
    if (message["jsonrpc"] !== "2.0") return NOISE;
    const incoming = classify(message, text);
    return incoming.kind === "response" ? NOISE : incoming;
  }
  // A log line may have an id, and any keys.
  const isAnswer = message["jsonrpc"] === "2.0" || "result" in message || "error" in message;
  if (!isAnswer) return NOISE;
  const inexact = inexactKey(text, MESSAGE);
  if (inexact !== undefined) return { kind: "inexact", ids: idsIn(text), reason: inexact.reason };
  const found = locateByMembers(text, message);
  if (found === undefined) return NOISE;
  const lacks = whatAnswerLacks(message);
  if (lacks !== undefined) return readServerLine(Line.of(withMembers(text, lacks)));
  return { kind: "answer", response: new ServerResponse(line, found, true, message) };
}

/** What to change in an answer so that strict clients accept it. */
function whatAnswerLacks(
  message: Readonly<Record<string, unknown>>,
): Record<string, string | undefined> | undefined {
  if (message["jsonrpc"] !== "2.0") return { jsonrpc: '"2.0"' };
  if (!("result" in message && "error" in message)) return undefined;
  return isObject(message["error"]) ? { result: undefined } : { error: undefined };
}

/** An answer that is not parsed; undefined if its ends do not show that it is one. */
function answerByEnds(line: Line): ServerMessage | undefined {
  const at = locateId(line.head(HEAD_BYTES), line.tail(TAIL_BYTES), line.bytes);
  if (at === undefined || !isExact(line, at)) return undefined;
  // Errors are looked into on their way, so they are parsed.
  if (at.isError) return undefined;
  return { kind: "answer", response: new ServerResponse(line, at, false) };
}

/** Whether an error that is JSON may be parsed, and is unambiguous. */
function isExactError(text: string): boolean {
  return excessOf(text) === undefined && inexactKey(text, MESSAGE) === undefined;
}

/** An error that is not JSON between its ends; undefined if its ends do not show that it is one. */
function errorByEnds(line: Line): ServerMessage | undefined {
  if (line.bytes <= READ_LIMIT) return undefined;
  const at = locateId(line.head(HEAD_BYTES), line.tail(TAIL_BYTES), line.bytes);
  if (at === undefined || !at.isError || !isExact(line, at)) return undefined;
  return { kind: "inexact", ids: [at.id], reason: "it is not JSON" };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function tooLarge(line: Line): ExcessiveMessage {
  const exception = "only a result without other members may be larger";
  return excessive(line, `it has more than ${MAX_PARSED_BYTES} bytes; ${exception}`);
}

function excessive(line: Line, reason: string): ExcessiveMessage {
  return { kind: "excessive", reason, ...endsOf(line) };
}

function endsOf(line: Line): { head: Buffer; tail: Buffer } {
  const head = Buffer.from(line.head(END_BYTES), "latin1");
  return { head, tail: Buffer.from(line.tail(END_BYTES), "latin1") };
}

const BYTE_ORDER_MARK = 0xfe_ff;
const NOISE: ServerMessage = { kind: "noise" };

/** Whether a large line consists only of the members of an answer. */
function isExact(line: Line, at: IdPosition): boolean {
  const end = bodyEnd(line.parts, at.body);
  if (end === undefined || line.bytes - end > TAIL_BYTES) return false;
  return isExactAnswer(line.head(at.body), line.tail(line.bytes - end), at);
}

/** For answers that are not plain. */
function locateByMembers(text: string, message: Record<string, unknown>): IdPosition | undefined {
  const { id, error, result } = message;
  const isError = error !== undefined && error !== null;
  if (typeof id !== "number" || (!isError && result === undefined)) return undefined;
  const spans = membersOf(text);
  const at = spans?.get("id");
  const body = spans?.get(isError ? "error" : "result");
  return at && body && { id, start: at.start, end: at.end, isError, body: body.start };
}

/** All ids of an answer, however their keys are written. */
function idsIn(text: string): number[] {
  const ids: number[] = [];
  scanMembers(text, 0, (key, start, skip) => {
    const end = skip(start);
    const id = foldCase(key) === "id" ? Number(text.slice(start, end)) : NaN;
    if (Number.isInteger(id)) ids.push(id);
    return end;
  });
  return ids;
}
