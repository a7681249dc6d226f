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

/** The meta-tools that call a tool. */
export type CallingTool = "use_tool" | "read_tool";

/** A call of such a meta-tool that is refused. */
export interface RefusedCall {
  readonly request: IncomingRequest;
  readonly metaTool: CallingTool;
  readonly scope: Scope;
  readonly known: KnownTools;
}

/** A call with an input that is not accepted. */
export async function refuseUseTool(refused: RefusedCall): Promise<Destination> {
  const { request } = refused;
  const hint = await hintFor(argumentsText(request), refused);
  return answered(failure(await refuseInput("use_tool", request.params["arguments"], hint)));
}

/** A call with a key that readers may understand differently, such as `Tool`. */
export async function refuseInexactKey(
  refused: RefusedCall,
  { path, reason }: InexactKey,
): Promise<Destination> {
  const isInInput = path.length >= INPUT_DEPTH;
  const hint = isInInput ? await hintFor(argumentsText(refused.request), refused) : undefined;
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
  const hint = await hintFor(input, { metaTool: "use_tool", scope, known });
  const { rpcError } = workbenchError("UNKNOWN_TOOL", { name }, hint);
  return answered({ kind: "refusal", error: rpcError });
}

function argumentsText({ text }: IncomingRequest): string {
  return memberText(memberText(text, "params") ?? "{}", "arguments") ?? "{}";
}

async function hintFor(
  input: string,
  { metaTool, scope, known }: Omit<RefusedCall, "request">,
): Promise<string> {
  const { useToolHint } = await import("../../workbench/meta-tools/use-tool-hint.ts");
  return useToolHint(input, scope, known, metaTool);
}
