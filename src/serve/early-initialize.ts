import type { Readable, Writable } from "node:stream";

import type { ConfigOutline } from "../config/outline.ts";
import { modernVersionOf } from "../protocol/envelope.ts";
import { legacyVersionFor } from "../protocol/versions.ts";
import { parseWithinLimits } from "../wire/json-limits.ts";
import { type IncomingRequest, classifyStrict, isObject, resultText } from "../wire/messages.ts";
import { onOneLine } from "../wire/lines.ts";
import { exampleIn, examplesFor } from "../workbench/catalogue/example-file.ts";
import { workbenchInfo } from "../workbench/workbench-info.ts";
import { LINE_FEED } from "../wire/characters.ts";

/** A longer first message is left to the regular input, which limits its size. */
const MAX_INITIALIZE_CHARS = 64 * 1024;

/**
 * Waits for a client's first message and, if it is `initialize`, answers it from the outline of the
 * configuration and the recorded examples. Clients wait for this answer, so it is sent before most of the program is
 * loaded. All other input is put back. Returns the request that was answered.
 */
export async function answerInitialize(
  input: Readable,
  output: Writable,
  { toolMode, toolboxes }: Pick<ConfigOutline, "toolMode" | "toolboxes">,
  configFile: string,
): Promise<IncomingRequest | undefined> {
  const first = await firstLine(input);
  const request = first && initializeIn(first.line.toString("utf8"));
  if (first === undefined || request === undefined) {
    if (first !== undefined) input.unshift(first.all);
    return undefined;
  }
  const protocolVersion = legacyVersionFor(String(request.params["protocolVersion"]));
  const example = exampleIn(toolboxes, examplesFor(configFile));
  const { capabilities } = request.params;
  const declared = isObject(capabilities) ? capabilities : {};
  const info = workbenchInfo(toolMode, toolboxes, "legacy", example, declared);
  const result = { protocolVersion, ...info };
  output.write(`${onOneLine(resultText(request.idText, result))}\n`);
  const rest = first.all.subarray(first.line.length + 1);
  if (rest.length > 0) input.unshift(rest);
  return request;
}

/** The bytes up to the first line break and all that came with them; undefined at the end. */
function firstLine(input: Readable): Promise<{ line: Buffer; all: Buffer } | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const done = (): void => {
      input.off("data", onData);
      input.off("end", done);
      input.off("close", done);
      input.pause();
      const all = Buffer.concat(chunks, bytes);
      const end = all.indexOf(LINE_FEED);
      resolve(bytes === 0 ? undefined : { line: all.subarray(0, Math.max(end, 0)), all });
    };
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (chunk.includes(LINE_FEED) || bytes > MAX_INITIALIZE_CHARS) done();
    };
    input.on("data", onData);
    input.on("end", done);
    input.on("close", done);
  });
}

/** The request in a line, if it is a valid `initialize`. */
export function initializeIn(text: string): IncomingRequest | undefined {
  let message: unknown;
  try {
    message = parseWithinLimits(text);
  } catch {
    return undefined;
  }
  const incoming = classifyStrict(message, text);
  if (incoming.kind !== "request") return undefined;
  const { method, params } = incoming.request;
  const plain =
    typeof params["protocolVersion"] === "string" && modernVersionOf(params) === undefined;
  return method === "initialize" && plain ? incoming.request : undefined;
}
