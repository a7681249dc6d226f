import { estimateTokens } from "../../text/estimate-tokens.ts";
import type { ToolIdentifier } from "../../calls/identifier.ts";
import { isObject } from "../../wire/messages.ts";
import type { LocalClient } from "../../embed/local-client.ts";

/** A call that the agent of the demo makes. */
export interface DemoCall {
  readonly tool: ToolIdentifier;
  readonly arguments: object;
}

export const WORKSPACE = "workspace";
export const CALLS: readonly DemoCall[] = [
  {
    tool: { toolbox: WORKSPACE, server: "filesystem", name: "read_text_file" },
    arguments: { path: "README.md" },
  },
  {
    tool: { toolbox: WORKSPACE, server: "memory", name: "create_entities" },
    arguments: {
      entities: [
        { name: "tides", entityType: "project", observations: ["prints when the water is high"] },
      ],
    },
  },
  {
    tool: { toolbox: WORKSPACE, server: "memory", name: "search_nodes" },
    arguments: { query: "water" },
  },
  {
    tool: { toolbox: "lab", server: "everything", name: "get-sum" },
    arguments: { a: 20, b: 22 },
  },
];

/** Opens a toolbox as an agent does. */
export async function openToolbox(client: LocalClient, toolbox: string) {
  const { result } = await client.request("tools/call", {
    name: "open_toolbox",
    arguments: { toolbox },
  });
  const text = firstText(result);
  const answer: unknown = JSON.parse(text);
  const tools = isObject(answer) && Array.isArray(answer["tools"]) ? answer["tools"] : [];
  return { tools: tools.filter(isObject), tokens: estimateTokens(text) };
}

/** The text of the first content block. */
export function firstText(result: { readonly [key: string]: unknown }): string {
  const content = Array.isArray(result["content"]) ? result["content"] : [];
  const block: unknown = content[0];
  return isObject(block) && typeof block["text"] === "string" ? block["text"] : "";
}
