import { elementsOf, memberText, membersOf } from "../../wire/members.ts";
import type { GuestAnswer } from "../engine/engine.ts";

/** A media block that stays outside the sandbox: its JSON, byte for byte. */
export type KeepMedia = (block: string) => string;

/** Errors are read by agents, who pay for every word. */
const MAX_ERROR_CHARS = 4000;

/**
 * The value of a call for the script: its structured content; otherwise its only text; otherwise its
 * blocks. `response` is a JSON-RPC response. Media blocks are replaced by handles.
 */
export function callValue(response: string, keepMedia: KeepMedia, raw: boolean): GuestAnswer {
  const result = memberText(response, "result");
  if (result === undefined) return rpcFailure(memberText(response, "error") ?? "{}");
  const content = memberText(result, "content");
  const blocks = content === undefined ? [] : (elementsOf(content) ?? []);
  const isFailure = memberText(result, "isError") === "true";
  if (isFailure || raw) {
    const whole = rawValue(result, content, blocks, keepMedia);
    return raw ? whole : toolFailure(blocks, whole.text);
  }
  const structured = memberText(result, "structuredContent");
  if (structured !== undefined && structured !== "null") return { kind: "json", text: structured };
  const [only] = blocks;
  const text = blocks.length === 1 && only !== undefined ? textOf(only) : undefined;
  if (text !== undefined) return { kind: "text", text };
  // Other kinds of results than those of tools have no content.
  if (content === undefined) return { kind: "json", text: result };
  return { kind: "json", text: `[${blocks.map((block) => itemOf(block, keepMedia)).join(",")}]` };
}

/** The whole result; only media are replaced. */
function rawValue(
  result: string,
  content: string | undefined,
  blocks: readonly string[],
  keepMedia: KeepMedia,
): GuestAnswer {
  const span = content === undefined ? undefined : membersOf(result)?.get("content");
  if (span === undefined) return { kind: "json", text: result };
  const shown = `[${blocks.map((block) => handleFor(block, keepMedia) ?? block).join(",")}]`;
  return { kind: "json", text: result.slice(0, span.start) + shown + result.slice(span.end) };
}

/** A block in a list of blocks: a text as a string, media as a handle, anything else unchanged. */
function itemOf(block: string, keepMedia: KeepMedia): string {
  const text = textOf(block);
  if (text !== undefined) return JSON.stringify(text);
  return handleFor(block, keepMedia) ?? block;
}

function textOf(block: string): string | undefined {
  if (stringIn(block, "type") !== "text") return undefined;
  return stringIn(block, "text");
}

/** The handle of an image, a sound or a resource with binary content; undefined for other blocks. */
function handleFor(block: string, keepMedia: KeepMedia): string | undefined {
  const type = stringIn(block, "type");
  const resource = type === "resource" ? (memberText(block, "resource") ?? "{}") : undefined;
  const holder = resource ?? block;
  const data = memberText(holder, resource === undefined ? "data" : "blob");
  if (data === undefined || !data.startsWith('"')) return undefined;
  const uri = resource === undefined ? undefined : stringIn(resource, "uri");
  return JSON.stringify({
    $media: keepMedia(block),
    ...(uri !== undefined && { uri }),
    mimeType: stringIn(holder, "mimeType") ?? "application/octet-stream",
    bytes: decodedBytes(data),
  });
}

/** The number of bytes in a JSON string of base64. */
function decodedBytes(data: string): number {
  const digits = data.replaceAll(/[="\s\\]/g, "").length;
  return Math.floor((digits * 3) / 4);
}

function toolFailure(blocks: readonly string[], result: string): GuestAnswer {
  const text = blocks.flatMap((block) => textOf(block) ?? []).join("\n");
  const message = text || "The tool reported an error without a text";
  return withMembers(failure(message), `"text":${JSON.stringify(text)},"result":${result}`);
}

function rpcFailure(error: string): GuestAnswer {
  const code = Number(memberText(error, "code"));
  const message = stringIn(error, "message") ?? "The server returned an error";
  const data = memberText(error, "data");
  const answer = failure(message, Number.isFinite(code) ? code : undefined);
  return data === undefined ? answer : withMembers(answer, `"data":${data}`);
}

/** Adds members to the JSON of an error. They keep every digit. */
function withMembers({ kind, text }: GuestAnswer, members: string): GuestAnswer {
  return { kind, text: `${text.slice(0, -1)},${members}}` };
}

export function failure(message: string, code?: number | string): GuestAnswer {
  const shown =
    message.length > MAX_ERROR_CHARS ? `${message.slice(0, MAX_ERROR_CHARS)}…` : message;
  return { kind: "error", text: JSON.stringify({ message: shown, code }) };
}

function stringIn(object: string, key: string): string | undefined {
  const text = memberText(object, key);
  return text?.startsWith('"') === true ? (JSON.parse(text) as string) : undefined;
}
