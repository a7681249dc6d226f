import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { legalName } from "../../clients/names.ts";
import { type WorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import { createFolders } from "../../files/write-atomic.ts";
import { codeOf } from "../../text/error-code.ts";
import { compact } from "../../wire/members.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";
import type { Output } from "../output/output.ts";
import { safeLine, safeText } from "../../text/safe-text.ts";

export interface RenderOptions {
  readonly out: Output;
  /** Folder for images and other files; a new temporary folder if not given. */
  readonly folder?: string | undefined;
  readonly tool: string;
}

/** Renders a tool result: text as text, JSON as JSON, everything else as files. */
export async function renderResult(result: JsonObject, options: RenderOptions): Promise<string> {
  const files = new Files(options);
  const content = Array.isArray(result["content"]) ? result["content"] : [];
  const { structuredContent: structured } = result;
  const parts: string[] = [];
  for (const block of content) parts.push(await renderBlock(block, files, options.out));
  if (parts.length === 0 && structured !== undefined)
    parts.push(showText(JSON.stringify(structured, undefined, 2), options.out));
  return parts.map((part) => (part.endsWith("\n") ? part : `${part}\n`)).join("");
}

async function renderBlock(block: unknown, files: Files, out: Output): Promise<string> {
  if (!isObject(block)) return showText(JSON.stringify(block), out);
  const { type, text, data, mimeType, resource, uri, name } = block;
  if (type === "text" && typeof text === "string") return showText(text, out);
  if ((type === "image" || type === "audio") && typeof data === "string")
    return files.save(data, mimeType);
  if (type === "resource_link" && typeof uri === "string")
    return safeLine(typeof name === "string" && name !== uri ? `${uri} (${name})` : uri);
  if (type === "resource" && isObject(resource)) {
    if (typeof resource["text"] === "string") return showText(resource["text"], out);
    if (typeof resource["blob"] === "string")
      return files.save(resource["blob"], resource["mimeType"]);
  }
  return showText(JSON.stringify(block, undefined, 2), out);
}

/** In a terminal: formatted and safe. In a file or a pipe: unchanged. */
function showText(text: string, out: Output): string {
  if (!out.isTerminal) return text;
  return safeText(prettyJson(text) ?? text);
}

/** Formats single-line JSON; undefined if that would change it. */
function prettyJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text) || text.includes("\n")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    // Numbers with too many digits, for example, would change.
    const isExact = JSON.stringify(value) === compact(text);
    return isExact ? JSON.stringify(value, undefined, 2) : undefined;
  } catch {
    return undefined;
  }
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "image/avif": "avif",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/ogg": "ogg",
  "audio/webm": "webm",
  "application/pdf": "pdf",
  "application/json": "json",
  "application/zip": "zip",
  "text/plain": "txt",
  "text/html": "html",
  "text/csv": "csv",
};

/** Saves what a terminal cannot show. Never overwrites a file. */
class Files {
  readonly #options: RenderOptions;
  #folder: string | undefined;
  #count = 0;

  constructor(options: RenderOptions) {
    this.#options = options;
  }

  async save(base64: string, mimeType: unknown): Promise<string> {
    const { out, tool } = this.#options;
    const type = typeof mimeType === "string" ? mimeType.toLowerCase() : "";
    const extension = EXTENSIONS[type.split(";")[0]?.trim() ?? ""] ?? "bin";
    const bytes = Buffer.from(base64, "base64");
    const folder = await this.#where();
    for (;;) {
      this.#count += 1;
      const file = join(folder, `${legalName(tool, "result")}-${this.#count}.${extension}`);
      try {
        await writeFile(file, bytes, { flag: "wx", mode: 0o600 });
        out.say(`Saved ${safeLine(type || "a file")} (${bytes.length} bytes)`);
        return file;
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw notWritable(file, error);
      }
    }
  }

  async #where(): Promise<string> {
    const { folder } = this.#options;
    try {
      if (folder !== undefined) await createFolders(folder, 0o777);
      this.#folder ??= folder ?? (await mkdtemp(join(tmpdir(), "mcp-workbench-")));
      return this.#folder;
    } catch (error) {
      throw notWritable(folder ?? tmpdir(), error);
    }
  }
}

function notWritable(file: string, error: unknown): WorkbenchError {
  return workbenchError("FILE_NOT_WRITABLE", { file, reason: reasonOf(error) }, undefined, error);
}
