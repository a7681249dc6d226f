import { reasonOf, workbenchError } from "../errors.ts";
import { codeOf } from "../text/error-code.ts";
import { readRegularFile } from "./read-regular-file.ts";

/** The formatting of a text file, so that additions match it. */
export interface TextStyle {
  readonly bom: "" | "\uFEFF";
  readonly eol: "\n" | "\r\n";
  /** One level of indentation. */
  readonly indent: string;
}

/** Detects byte order mark, line endings and indentation; defaults to `\n` and two spaces. */
export function styleOf(text: string): TextStyle {
  return {
    bom: text.startsWith("\uFEFF") ? "\uFEFF" : "",
    eol: /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n",
    indent: /\n(\t| +)(?=[^\s*])/.exec(text)?.[1] ?? "  ",
  };
}

/** A position in a text as `line:column`, starting at one. */
export function lineColumn(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return `${before.split("\n").length}:${offset - before.lastIndexOf("\n")}`;
}

const NOT_UTF8 = "ERR_ENCODING_INVALID_ENCODED_DATA";

/**
 * The exact text of a file, or undefined if it does not exist. A byte order mark stays in the text.
 * Anything but UTF-8 is rejected, because writing it back would change unrelated bytes.
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
