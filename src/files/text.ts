import { reasonOf, workbenchError } from "../errors.ts";
import { codeOf } from "../text/error-code.ts";
import { readRegularFile } from "./regular.ts";

/** How a text file is written, so that what we add looks as if its owner had written it. */
export interface TextStyle {
  readonly bom: "" | "\uFEFF";
  readonly eol: "\n" | "\r\n";
  /** One level of indentation. */
  readonly indent: string;
}

/** Detects byte order mark, line ends and indentation; two spaces and `\n` where the text does not tell. */
export function styleOf(text: string): TextStyle {
  return {
    bom: text.startsWith("\uFEFF") ? "\uFEFF" : "",
    eol: /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n",
    indent: /\n(\t| +)(?=[^\s*])/.exec(text)?.[1] ?? "  ",
  };
}

/** A place in a text as people count it, from one. */
export function lineColumn(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return `${before.split("\n").length}:${offset - before.lastIndexOf("\n")}`;
}

const NOT_UTF8 = "ERR_ENCODING_INVALID_ENCODED_DATA";

/**
 * The text of a file without losing a byte of it, or undefined when there is no such file. A byte
 * order mark stays in the text; anything but UTF-8 is refused, because writing it back would
 * change bytes that nobody asked to change.
 */
export async function readText(file: string): Promise<string | undefined> {
  try {
    const bytes = readRegularFile(file);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    const reason = code === NOT_UTF8 ? "it is not a UTF-8 text file" : reasonOf(error);
    throw workbenchError("FILE_INVALID", { file, at: "", reason }, undefined, error);
  }
}
