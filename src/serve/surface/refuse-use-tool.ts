import { type Destination, answered } from "../../calls/destination.ts";
import { failure } from "../../calls/outcome.ts";
import { workbenchError } from "../../errors.ts";
import { shownValue } from "../../text/shown-name.ts";
import type { InexactKey } from "../../wire/exact-keys.ts";
import { memberText } from "../../wire/members.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { refuseInput } from "../../workbench/meta-tools/input.ts";
import type { KnownTools } from "../../workbench/meta-tools/meant-tools.ts";
import type { Scope } from "../../workbench/scopes.ts";

/** Answers calls that cannot be made with the call of `use_tool` that was probably meant. */

/** The input is `params.arguments`. */
const INPUT_DEPTH = 2;

/** A call of `use_tool` with an input that is not accepted. */
export async function refuseUseTool(
  request: IncomingRequest,
  scope: Scope,
  known: KnownTools,
): Promise<Destination> {
  const hint = await hintFor(argumentsText(request), scope, known);
  return answered(failure(await refuseInput("use_tool", request.params["arguments"], hint)));
}

/** A call of `use_tool` with a key that readers may understand differently, such as `Tool`. */
export async function refuseInexactKey(
  request: IncomingRequest,
  { path, reason }: InexactKey,
  scope: Scope,
  known: KnownTools,
): Promise<Destination> {
  const isInInput = path.length >= INPUT_DEPTH;
  const hint = isInInput ? await hintFor(argumentsText(request), scope, known) : undefined;
  return answered(failure(workbenchError("INVALID_PARAMETERS", { reason }, hint)));
}

/** A call of a tool by its own name, as if it were in the tool list. */
export async function refuseDirectCall(
  request: IncomingRequest,
  name: string,
  scope: Scope,
  known: KnownTools,
): Promise<Destination> {
  const input = `{"tool":${shownValue(name)},"arguments":${argumentsText(request)}}`;
  const hint = await hintFor(input, scope, known);
  const { rpcError } = workbenchError("UNKNOWN_TOOL", { name }, hint);
  return answered({ kind: "refusal", error: rpcError });
}

function argumentsText({ text }: IncomingRequest): string {
  return memberText(memberText(text, "params") ?? "{}", "arguments") ?? "{}";
}

async function hintFor(input: string, scope: Scope, known: KnownTools): Promise<string> {
  const { useToolHint } = await import("../../workbench/meta-tools/use-tool-hint.ts");
  return useToolHint(input, scope, known);
}
