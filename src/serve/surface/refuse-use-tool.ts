import { type Destination, answered } from "../../calls/destination.ts";
import { failure } from "../../calls/outcome.ts";
import { workbenchError } from "../../errors.ts";
import { memberText } from "../../wire/members.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { refuseInput } from "../../workbench/meta-tools/input.ts";
import type { KnownTools } from "../../workbench/meta-tools/use-tool-hint.ts";
import type { Scope } from "../../workbench/scopes.ts";

/** Answers calls that cannot be made with the call of `use_tool` that was probably meant. */

/** A call of `use_tool` with an input that is not accepted. */
export async function refuseUseTool(
  request: IncomingRequest,
  scope: Scope,
  known: KnownTools,
): Promise<Destination> {
  const hint = await hintFor(argumentsText(request), scope, known);
  return answered(failure(await refuseInput("use_tool", request.params["arguments"], hint)));
}

/** A call of a tool by its own name, as if it were in the tool list. */
export async function refuseDirectCall(
  request: IncomingRequest,
  name: string,
  scope: Scope,
  known: KnownTools,
): Promise<Destination> {
  const input = `{"tool":${JSON.stringify(name)},"arguments":${argumentsText(request)}}`;
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
