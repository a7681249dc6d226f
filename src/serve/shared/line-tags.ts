import { isObject, parseJson } from "../../text/json.ts";
import type { TagLine } from "../stdio-pipe.ts";

/**
 * Every line from the shared process to a client begins with what it is about and a tab, so that the
 * client need not read it:
 *
 *   ID TAB …     the answer to the request with this id, as JSON
 *   ? ID TAB …   a request to the client
 *   - TAB …      a notification
 *   ! …          a control message, which is not for the client
 */
export type LineTag =
  | { readonly kind: "answer" | "question"; readonly idText: string; readonly bytes: number }
  | { readonly kind: "notification"; readonly bytes: number }
  | { readonly kind: "control"; readonly bytes: number };

const TAB = "\t";
const CONTROL = 0x21;
const QUESTION = 0x3f;
const NOTIFICATION = 0x2d;

/** Tags a line that is written to a client. */
export const tagLine: TagLine = (out, idText, message = "") => {
  out.prefix(`${idText ?? tagOf(message)}${TAB}`);
};

function tagOf(message: string): string {
  const value = parseJson(message);
  const id = isObject(value) && typeof value["method"] === "string" ? value["id"] : undefined;
  return id === undefined ? "-" : `?${JSON.stringify(id)}`;
}

/** The tag at the beginning of a line; `bytes` is its length. Undefined if there is none. */
export function readTag(line: Buffer): LineTag | undefined {
  if (line[0] === CONTROL) return { kind: "control", bytes: 1 };
  const end = line.indexOf(TAB);
  if (end === -1) return undefined;
  const bytes = end + 1;
  if (line[0] === NOTIFICATION && end === 1) return { kind: "notification", bytes };
  const isQuestion = line[0] === QUESTION;
  const idText = line.toString("utf8", isQuestion ? 1 : 0, end);
  return { kind: isQuestion ? "question" : "answer", idText, bytes };
}
