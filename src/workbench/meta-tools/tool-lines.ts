import { returned } from "../../search/return-type.ts";
import { firstSentence } from "../../search/sentence.ts";
import { signatureOf } from "../../search/signature.ts";
import { READ_MARK } from "../../text/read-mark.ts";
import type { JsonObject } from "../../wire/messages.ts";

/** A tool on one line: `name(parameters) -> result — purpose`. */
export type ToolLine = (tool: JsonObject, isReader?: boolean, returnType?: string) => string;

const SIGNATURE_CHARS = 160;
const SENTENCE_CHARS = 120;

export const toolLine: ToolLine = (tool, isReader = false, returnType = "") => {
  const { name, title, description, inputSchema } = tool;
  const mark = isReader ? READ_MARK : "";
  const call = `${String(name)}(${signatureOf(inputSchema, SIGNATURE_CHARS)})${returned(returnType)}${mark}`;
  const about = [description, title].find((text) => typeof text === "string" && text !== "");
  const purpose = firstSentence(typeof about === "string" ? about : "", SENTENCE_CHARS);
  return purpose === "" ? call : `${call} — ${purpose}`;
};
