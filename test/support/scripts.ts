/** Calls of `run_script` in a few words. */
import { callTool, type CallOptions, type Requests, resultOf, type ToolResult } from "./calls.ts";
import type { FidelityClient, Json } from "./clients/matrix-client.ts";

/** The parameters of a `tools/call` that runs a script. */
export function scriptParams(script: string, input?: object): Json {
  return { name: "run_script", arguments: { script, ...(input && { input }) } };
}

/** Runs a script with any client of the matrix. */
export async function runScript(
  client: FidelityClient,
  script: string,
  input?: object,
): Promise<ToolResult> {
  return (await client.request("tools/call", scriptParams(script, input))) as unknown as ToolResult;
}

/** The same with a raw client. */
export async function runRaw(
  client: Requests,
  script: string,
  options?: CallOptions,
): Promise<ToolResult> {
  return resultOf(await callTool(client, "run_script", { script }, options));
}

/** The value that a script returned, parsed; throws if it failed. */
export function valueOf({ content, isError }: ToolResult): unknown {
  const [first] = content;
  if (isError === true || first?.text === undefined)
    throw new Error(`the script failed: ${JSON.stringify(content)}`);
  return JSON.parse(first.text);
}

/** What a failed script reports. */
export function errorOf({ content, isError }: ToolResult): string {
  if (isError !== true) throw new Error(`the script did not fail: ${JSON.stringify(content)}`);
  return content[0]?.text ?? "";
}
