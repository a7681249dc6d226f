import { firstSentence } from "../../search/sentence.ts";
import { signatureOf } from "../../search/signature.ts";
import type { JsonObject } from "../../wire/messages.ts";

/** A tool on one line: `name(parameters) — purpose`. */
export type ToolLine = (tool: JsonObject) => string;

const SIGNATURE_CHARS = 160;
const SENTENCE_CHARS = 120;

export const toolLine: ToolLine = ({ name, title, description, inputSchema }) => {
  const call = `${String(name)}(${signatureOf(inputSchema, SIGNATURE_CHARS)})`;
  const about = [description, title].find((text) => typeof text === "string" && text !== "");
  const purpose = firstSentence(typeof about === "string" ? about : "", SENTENCE_CHARS);
  return purpose === "" ? call : `${call} — ${purpose}`;
};
