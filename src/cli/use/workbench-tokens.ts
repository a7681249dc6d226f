import { estimateTokens } from "../../text/estimate-tokens.ts";
import type { LocalClient } from "../../embed/local-client.ts";

/** The tokens of the workbench's instructions and tools, which an agent reads at start. */
export async function workbenchTokens(client: LocalClient): Promise<number> {
  const { text } = await client.request("tools/list");
  return estimateTokens(await client.instructions) + estimateTokens(text);
}
