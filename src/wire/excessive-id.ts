import { parseJson } from "../text/json.ts";
import { classify } from "./messages.ts";
import { requestIdOf } from "./request-id.ts";

/** Up to this size a text is parsed for its id even above other limits: it takes 30 ms. */
const READABLE_CHARS = 512 * 1024;
const END_CHARS = 256;

/** The id for the error response to a message above the limits; undefined if it is not JSON. */
export function idOfExcessive(text: string): string | undefined {
  if (text.length > READABLE_CHARS) {
    const [head, tail] = [text.slice(0, END_CHARS), text.slice(-END_CHARS)];
    return requestIdOf(Buffer.from(head), Buffer.from(tail)) ?? "null";
  }
  const message = parseJson(text);
  if (message === undefined) return undefined;
  const incoming = classify(message, text);
  if (incoming.kind === "request") return incoming.request.idText;
  return incoming.kind === "invalid" ? incoming.idText : "null";
}
