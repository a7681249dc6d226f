import type { Answer } from "../../embed/answer.ts";
import { formatJson } from "../../text/format-json.ts";
import { isObject } from "../../text/json.ts";
import { resultTokens } from "../../workbench/accounting/text-tokens.ts";
import type { ResultBlock, ToolCallAnswer } from "../contract.ts";

/** More is not readable in a browser, and would slow it down. */
export const MAX_SHOWN_CHARS = 256 * 1024;
const MAX_BLOCKS = 200;

/** The result of a tool, as the page shows it. */
export function shownAnswer({ text, result }: Answer): Omit<ToolCallAnswer, "durationMs"> {
  const isCut = text.length > MAX_SHOWN_CHARS;
  const formatted = isCut ? "" : formatJson(text);
  // Indentation can make a text with many brackets a hundred times as long.
  const isReadable = !isCut && formatted.length <= 4 * MAX_SHOWN_CHARS;
  const shown = isReadable ? formatted : text.slice(0, MAX_SHOWN_CHARS);
  const blocks = shownBlocks(result["content"]);
  return {
    outcome: result["isError"] === true ? "tool_error" : "ok",
    text: shown,
    isCut,
    blocks,
    error: null,
    links: [],
    bytes: Buffer.byteLength(text),
    tokens: resultTokens(result),
  };
}

function shownBlocks(content: unknown): readonly ResultBlock[] {
  if (!Array.isArray(content)) return [];
  let left = MAX_SHOWN_CHARS;
  return content.slice(0, MAX_BLOCKS).map((block: unknown) => {
    const { type, text, mimeType, data, resource } = isObject(block) ? block : {};
    const inner = isObject(resource) ? resource : {};
    const written = text ?? inner["text"];
    const shown = typeof written === "string" ? written.slice(0, left) : null;
    left -= shown?.length ?? 0;
    const kind = mimeType ?? inner["mimeType"];
    const media = typeof data === "string" ? data : "";
    return {
      type: typeof type === "string" ? type : "unknown",
      text: shown,
      mimeType: typeof kind === "string" ? kind : null,
      bytes: typeof written === "string" ? Buffer.byteLength(written) : mediaBytes(media),
    };
  });
}

/** Of base64. */
function mediaBytes(data: string): number {
  return Math.floor((data.replace(/=+$/, "").length * 3) / 4);
}
