import { RPC } from "../../errors.ts";
import type { Call } from "../../relay/call.ts";
import { Line } from "../../wire/lines.ts";
import { withMembers } from "../../wire/members.ts";
import { isObject } from "../../wire/messages.ts";
import type { HttpResponse } from "./http-response.ts";
import { isJson, parseOrUndefined, putOnOneLine } from "./response-messages.ts";

/** A response that is not a success, read as far as it matters. */

const MAX_BYTES = 64 * 1024;
const READ_MS = 5000;
/** Above this a text is a page for people that may speak of anything. */
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
  /** What the server says about it in words. */
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
  const impatience = setTimeout(() => response.cancel(), READ_MS);
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
    clearTimeout(impatience);
  }
}

function rpcError(text: string): Refusal["rpc"] {
  const body = parseOrUndefined(text);
  if (!isObject(body) || !isObject(body["error"])) return undefined;
  const { code, message } = body["error"];
  if (typeof code !== "number") return undefined;
  return { text, id: body["id"], code, message: typeof message === "string" ? message : "" };
}

/** These say more to a person as what they are than as whatever the server wrote into the body. */
const TYPED: ReadonlySet<number> = new Set([401, 403, 429]);

/**
 * The error as the answer to the call, if that is what it is. Servers that refuse a request before
 * they have read it leave out the id; an error of the machinery below them is not an answer.
 */
export function answerIn({ status, rpc }: Refusal, call: Call): Line | undefined {
  if (rpc === undefined || TYPED.has(status)) return undefined;
  if (rpc.id === call.id) return Line.of(rpc.text);
  const anonymous = rpc.id === null || rpc.id === undefined;
  if (!anonymous || status >= 500) return undefined;
  return Line.of(withMembers(rpc.text, { id: String(call.id) }));
}

/**
 * Whether a request that named a session was refused because the server does not know it. The
 * specification asks for 404; many servers were made after examples that respond with 400 and say
 * so in words, some as JSON and some as text.
 */
export function isLostSession({ status, rpc, words }: Refusal): boolean {
  if (status === 404 || status === 410) return rpc?.code !== RPC.methodNotFound;
  return status === 400 && /session|not initialized/i.test(words);
}
