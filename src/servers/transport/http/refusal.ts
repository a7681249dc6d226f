import { RPC } from "../../../errors.ts";
import type { Call } from "../../../calls/call.ts";
import { tryParseWithinLimits } from "../../../wire/json-limits.ts";
import { Line } from "../../../wire/lines.ts";
import { withMembers } from "../../../wire/members.ts";
import { isObject } from "../../../wire/messages.ts";
import type { HttpResponse } from "./http-response.ts";
import { isJson, putOnOneLine } from "./response-messages.ts";

/** A response that is not a success, with what is needed of its body. */

const MAX_BYTES = 64 * 1024;
const READ_MS = 5000;
/** A longer text is a web page, whose words mean nothing here. */
const MAX_WORDS = 1024;

export interface Refusal {
  readonly status: number;
  /** The JSON-RPC error in the body, if there is one. */
  readonly rpc:
    | {
        readonly text: string;
        readonly id: unknown;
        readonly code: number;
        readonly message: string;
      }
    | undefined;
  /** The message of the server. */
  readonly words: string;
}

export async function readRefusal(response: HttpResponse): Promise<Refusal> {
  const { status, mediaType } = response;
  const silent = { status, rpc: undefined, words: "" };
  const wordy = status === 400 && (mediaType === "text/plain" || mediaType === "text/html");
  if (!isJson(mediaType) && !wordy) {
    response.discard();
    return silent;
  }
  const timer = setTimeout(() => response.cancel(), READ_MS);
  try {
    const { parts, complete } = await response.collect(MAX_BYTES);
    if (!complete) return silent;
    const body = Buffer.concat(parts);
    putOnOneLine(body);
    const text = body.toString("utf8");
    const rpc = isJson(mediaType) ? rpcError(text) : undefined;
    return { status, rpc, words: rpc?.message ?? (text.length <= MAX_WORDS ? text : "") };
  } catch {
    return silent;
  } finally {
    clearTimeout(timer);
  }
}

function rpcError(text: string): Refusal["rpc"] {
  const body = tryParseWithinLimits(text);
  if (!isObject(body) || !isObject(body["error"])) return undefined;
  const { code, message } = body["error"];
  if (typeof code !== "number") return undefined;
  return { text, id: body["id"], code, message: typeof message === "string" ? message : "" };
}

/** For these, our own error explains more than the body of the response. */
const TYPED: ReadonlySet<number> = new Set([401, 403, 429]);

/**
 * The error as the answer to the call, if it is one. Servers that refuse a request before they have
 * read it leave out the id; an error of the infrastructure below them is not an answer.
 */
export function answerIn({ status, rpc }: Refusal, call: Call): Line | undefined {
  if (rpc === undefined || TYPED.has(status)) return undefined;
  if (rpc.id === call.id) return Line.of(rpc.text);
  const anonymous = rpc.id === null || rpc.id === undefined;
  if (!anonymous || status >= 500) return undefined;
  return Line.of(withMembers(rpc.text, { id: String(call.id) }));
}

/**
 * Whether a request with a session id was refused because the server does not know the session. The
 * specification requires 404; many servers follow examples that respond with 400 and a message, as
 * JSON or as text.
 */
export function isLostSession({ status, rpc, words }: Refusal): boolean {
  if (status === 404 || status === 410) return rpc?.code !== RPC.methodNotFound;
  return status === 400 && /session|not initialized/i.test(words);
}
