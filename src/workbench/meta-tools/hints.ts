import type { ToolboxSettings } from "../../config/types.ts";
import { openable } from "./toolbox-lines.ts";

/**
 * What a client can be asked for in the `_meta` of a tool; models do not see it. Only Claude Code is
 * known to read these members. It writes results of more than 50,000 characters to a file, unless the
 * tool asks for more. Of most tools it shows the model the name only, and the rest after a search.
 */
type ToolHints = Readonly<Record<string, string | number | boolean>>;

/** The most that the client accepts. */
export const LARGE_RESULTS: ToolHints = { "anthropic/maxResultSizeChars": 500_000 };
const ALWAYS_LOAD: ToolHints = { "anthropic/alwaysLoad": true };
const HINT_CHARS = 100;

const HINTS: Readonly<Record<string, ToolHints>> = {
  search_tools: ALWAYS_LOAD,
  use_tool: { ...ALWAYS_LOAD, ...LARGE_RESULTS },
  read_tool: { ...ALWAYS_LOAD, ...LARGE_RESULTS },
  run_script: ALWAYS_LOAD,
};

/** The hints for a meta-tool, by its name. */
export function hintsFor(
  name: string,
  toolboxes: readonly ToolboxSettings[],
): ToolHints | undefined {
  if (name !== "open_toolbox") return HINTS[name];
  const names = openable(toolboxes).map((toolbox) => toolbox.name);
  return { ...LARGE_RESULTS, "anthropic/searchHint": names.join(" ").slice(0, HINT_CHARS) };
}
