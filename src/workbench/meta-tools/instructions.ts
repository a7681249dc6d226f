import type { ToolIdentifier } from "../../calls/identifier.ts";
import type { ToolMode } from "../../config/types.ts";
import type { JsonObject } from "../../wire/messages.ts";
import type { ToolboxOutline } from "../../config/outline.ts";

/** A call of `use_tool` that works as far as names are concerned. */
export interface ExampleCall {
  readonly tool: ToolIdentifier;
  readonly arguments: JsonObject;
}

/** "listed": toolMode "dynamic" for modern clients, to which all toolboxes are always open. */
type InstructedMode = ToolMode | "listed";

/** Some clients cut the instructions at 2,048 characters. */
const MAX_CHARS = 1950;
const SEPARATOR = ", ";

/**
 * The instructions for the client: how to use the workbench first, because clients may cut the end.
 * What the toolboxes contain is in the description of `open_toolbox`. The text depends only on the
 * configuration and the example.
 */
export function workbenchInstructions(
  mode: InstructedMode,
  toolboxes: readonly Pick<ToolboxOutline, "name">[],
  example?: ExampleCall,
): string {
  const use = mode === "proxy" ? proxyUse(example) : USES[mode];
  const text = `Tools of many MCP servers. ${use}`;
  const names = toolboxes.map(({ name }) => name);
  return names.length === 0
    ? text
    : `${text}\nToolboxes: ${listed(names, MAX_CHARS - text.length)}`;
}

/** Names that do not exist would be tried by agents. */
const PLACEHOLDERS: ExampleCall = {
  tool: { toolbox: "TOOLBOX", server: "SERVER", name: "TOOL" },
  arguments: {},
};

function proxyUse(example: ExampleCall = PLACEHOLDERS): string {
  const kind = example === PLACEHOLDERS ? "in this form" : "for example";
  return `Find them with search_tools, or list a toolbox with open_toolbox. Call them with use_tool, ${kind}:\n${JSON.stringify(example)}`;
}

const USES = {
  dynamic:
    "Find them with search_tools, or choose the toolbox that fits the task. open_toolbox adds its tools to the tool list as {toolbox}__{server}__{tool}; close_toolbox removes them.",
  listed: "They are in the tool list as {toolbox}__{server}__{tool}; search_tools finds them.",
};

/** As many names as fit, and the number of the others. */
function listed(names: readonly string[], maxChars: number): string {
  let chars = 0;
  for (const [i, name] of names.entries()) {
    chars += name.length + SEPARATOR.length;
    if (chars > maxChars)
      return `${names.slice(0, i).join(SEPARATOR)} and ${names.length - i} more`;
  }
  return names.join(SEPARATOR);
}
