import { CLIENT_TOOL_HINTS } from "../../clients/tool-hints.ts";
import type { ToolboxSettings } from "../../config/types.ts";
import { openable } from "./toolbox-lines.ts";

/** What clients are asked for in the `_meta` of a tool, in the words of all clients that read it. */
type ToolHints = Readonly<Record<string, string | number | boolean>>;

const all = (hint: (row: (typeof CLIENT_TOOL_HINTS)[number]) => ToolHints): ToolHints =>
  Object.assign({}, ...CLIENT_TOOL_HINTS.map(hint)) as ToolHints;

/** The most that clients accept. */
export const LARGE_RESULTS = all(({ resultChars: size }) => (size ? { [size.key]: size.max } : {}));
const ALWAYS_LOAD = all(({ alwaysLoad }) => (alwaysLoad ? { [alwaysLoad]: true } : {}));

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
  const found = all(({ searchHint: hint }) =>
    hint ? { [hint.key]: wholeNames(names, hint.chars) } : {},
  );
  return { ...LARGE_RESULTS, ...found };
}

/** As many names as there is space for: a part of one would not be found. */
function wholeNames(names: readonly string[], chars: number): string {
  return names.reduce((text, name) => {
    const longer = text === "" ? name : `${text} ${name}`;
    return longer.length > chars ? text : longer;
  }, "");
}
