import type { ConfigOutline } from "../config/outline.ts";
import { modernVersionOf } from "../protocol/envelope.ts";
import { legacyVersionFor } from "../protocol/versions.ts";
import { parseWithinLimits } from "../wire/json-limits.ts";
import { type IncomingRequest, classifyStrict, isObject, resultText } from "../wire/messages.ts";
import { onOneLine } from "../wire/lines.ts";
import { firstLine, putBack, writeFirst } from "./first-line.ts";
import { exampleIn, examplesFor } from "../workbench/catalogue/example-file.ts";
import { workbenchInfo } from "../workbench/workbench-info.ts";

/**
 * Waits for a client's first message and, if it is `initialize`, answers it from the outline of the
 * configuration and the recorded examples. Clients wait for this answer, so it is sent before most of the program is
 * loaded. All other input is put back. Returns the request that was answered, or "ended" if the client sends nothing more.
 */
export async function answerInitialize(
  { toolMode, toolboxes }: Pick<ConfigOutline, "toolMode" | "toolboxes">,
  configFile: string,
): Promise<IncomingRequest | "ended" | undefined> {
  const { line, all, hasEnded } = await firstLine();
  const request = initializeIn(line.toString("utf8"));
  if (request === undefined) {
    if (hasEnded) return "ended";
    putBack(all);
    return undefined;
  }
  const protocolVersion = legacyVersionFor(String(request.params["protocolVersion"]));
  const example = exampleIn(toolboxes, examplesFor(configFile));
  const { capabilities } = request.params;
  const declared = isObject(capabilities) ? capabilities : {};
  const info = workbenchInfo(toolMode, toolboxes, "legacy", example, declared);
  const result = { protocolVersion, ...info };
  writeFirst(`${onOneLine(resultText(request.idText, result))}\n`);
  if (hasEnded) return "ended";
  putBack(all.subarray(line.length + 1));
  return request;
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
