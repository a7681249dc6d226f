import type { Answer } from "../../embed/answer.ts";
import { isObject } from "../../text/json.ts";
import { formatJson } from "../../text/format-json.ts";
import { cut } from "../../text/truncate.ts";
import { memberText } from "../../wire/members.ts";
import { resultTokens } from "../../workbench/accounting/text-tokens.ts";
import type { DashboardContext } from "../context.ts";
import type { ResultBlock, ToolCallAnswer } from "../contract.ts";
import { apiErrorOf } from "../http/api-error.ts";
import { type Body, invalid, textIn } from "../http/body.ts";
import { linksIn } from "../web-link.ts";
import { namedIn } from "./servers.ts";

/** More is not readable in a browser, and would slow it down. */
const MAX_SHOWN_CHARS = 256 * 1024;
const MAX_BLOCKS = 200;

/** Calls a tool as the owner. Rules, approvals, limits and the audit log apply as for any client. */
export async function callTool(
  { client, questions }: DashboardContext,
  body: Body,
  signal: AbortSignal,
): Promise<ToolCallAnswer> {
  const tool = { ...namedIn(body), name: textIn(body, "name") };
  // As the page wrote it: numbers must not change on the way.
  const args = memberText(body.text, "arguments") ?? "{}";
  if (!isObject(body.value["arguments"] ?? {})) throw invalid("'arguments' must be an object");
  const began = performance.now();
  const durationMs = (): number => Math.round((performance.now() - began) * 10) / 10;
  try {
    const onElicitation = questions.forCall(callIn(body), tool);
    const answer = await client.callTool(tool, args, { signal, onElicitation });
    return { ...shownAnswer(answer), durationMs: durationMs() };
  } catch (error) {
    const shown = apiErrorOf(error);
    const text = [shown.message, ...(shown.hint === undefined ? [] : [shown.hint])].join("\n");
    return {
      outcome: "error",
      text: cut(text, MAX_SHOWN_CHARS),
      isCut: false,
      blocks: [],
      error: shown,
      links: linksIn(error),
      durationMs: durationMs(),
      bytes: 0,
      tokens: 0,
    };
  }
}

/** The text with which a page finds the questions of its call; undefined if it cannot show any. */
function callIn(body: Body): string | undefined {
  if (body.value["call"] === undefined) return undefined;
  const call = textIn(body, "call");
  if (/^[\w-]{8,64}$/.test(call)) return call;
  throw invalid("'call' must be a random text of 8 to 64 letters and digits");
}

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
