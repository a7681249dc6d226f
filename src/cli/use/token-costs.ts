import { estimateTokens } from "../../text/tokens.ts";
import type { LocalClient } from "../../embed/local-client.ts";

/** What an agent reads of the workbench at the start: its instructions and its own few tools. */
export async function workbenchTokens(client: LocalClient): Promise<number> {
  const { text } = await client.request("tools/list");
  return estimateTokens(await client.instructions) + estimateTokens(text);
}
