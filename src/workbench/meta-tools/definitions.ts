import type { Principal } from "../../calls/principal.ts";
import type { ScriptSettings, ToolboxSettings, WorkbenchSettings } from "../../config/types.ts";
import { hintsFor } from "./hints.ts";
import type { InputRule } from "./input.ts";
import { INPUT_RULES } from "./input-rules.generated.ts";
import { openable, toolboxList } from "./toolbox-lines.ts";

/**
 * The tools of the workbench itself. Agents read these texts at the start of every conversation, so
 * every word costs tokens. They say when to use which tool, and depend only on the configuration.
 */

export interface MetaTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputRule;
  readonly annotations?: object;
}

const READ_ONLY = { readOnlyHint: true, openWorldHint: false };
/** It starts servers; repeating the call has no further effect. */
const OPENS = { destructiveHint: false, idempotentHint: true };
/** Servers lose what they keep in memory, so the default, destructive, is right. */
const CLOSES = { idempotentHint: true, openWorldHint: false };

export function openToolboxTool(toolboxes: readonly ToolboxSettings[]): MetaTool {
  return {
    name: "open_toolbox",
    description: `List a toolbox's tools with their input schemas, for tasks that need several of them. \`detail\` "signatures" or "names" returns less. Toolboxes:${toolboxList(openable(toolboxes))}`,
    inputSchema: choosing(toolboxes, INPUT_RULES.open_toolbox),
    annotations: OPENS,
  };
}

export function openNativeToolboxTool(toolboxes: readonly ToolboxSettings[]): MetaTool {
  return {
    name: "open_toolbox",
    description: `Open a toolbox to add its tools to your tool list as {toolbox}__{server}__{tool}. Toolboxes:${toolboxList(openable(toolboxes))}`,
    inputSchema: choosing(toolboxes, INPUT_RULES.close_toolbox),
    annotations: OPENS,
  };
}

export const CLOSE_TOOLBOX: MetaTool = {
  name: "close_toolbox",
  description: "Close a toolbox: removes its tools from your tool list and ends its connections.",
  inputSchema: advertised(INPUT_RULES.close_toolbox),
  annotations: CLOSES,
};

/** How to call a tool that was found. */
const THEN = {
  proxy: "call it with use_tool",
  dynamic: "open its toolbox to call it",
  listed: "it is in your tool list as toolbox__server__name",
};

export function searchToolsTool(then: keyof typeof THEN): MetaTool {
  return {
    name: "search_tools",
    description: `Find tools in all toolboxes, opened or not, by what they do or by name. Returns lines "toolbox/server/name(parameters, ? if optional) — purpose"; then ${THEN[then]}. \`detail\` "schema" returns full definitions.`,
    inputSchema: advertised(INPUT_RULES.search_tools),
    annotations: READ_ONLY,
  };
}

/** Without `openWorldHint`: one client then asks the user about every result. */
const CALLS_ANYTHING = { destructiveHint: true };
const CALLS_READERS = { readOnlyHint: true };

export const USE_TOOL: MetaTool = {
  name: "use_tool",
  description:
    "Call a tool in any toolbox, opened or not. `tool` is its toolbox, server and name, as returned by search_tools and open_toolbox; `arguments` are the tool's own.",
  inputSchema: advertised(INPUT_RULES.use_tool),
  annotations: CALLS_ANYTHING,
};

export const READ_TOOL: MetaTool = {
  name: "read_tool",
  description: "use_tool, with the same input, for tools marked [read]; refuses all others.",
  // The input of `use_tool` is described there, and every word costs tokens.
  inputSchema: {
    ...INPUT_RULES.use_tool,
    properties: { tool: { type: "object" }, arguments: { type: "object" } },
  },
  annotations: CALLS_READERS,
};

export const RUN_SCRIPT: MetaTool = {
  name: "run_script",
  description:
    'Run the body of an async JavaScript or TypeScript function in a sandbox. Use it to call many tools (loops, joins, filters): only what it returns enters the conversation. `await call("toolbox/server/name", {…})` or `await tools.toolbox.server.name({…})` returns JSON or text, throws on errors. Also: input, results.r1, console, sleep(ms), emit(media).',
  inputSchema: advertised(INPUT_RULES.run_script),
  annotations: CALLS_ANYTHING,
};

/** The tools in toolMode "proxy"; they depend only on the configuration. */
export function proxyTools(
  toolboxes: readonly ToolboxSettings[],
  readTool: WorkbenchSettings["readTool"],
  hasScripts: boolean,
): MetaTool[] {
  return [
    searchToolsTool("proxy"),
    openToolboxTool(toolboxes),
    USE_TOOL,
    ...(offersReadTool(toolboxes, readTool) ? [READ_TOOL] : []),
    ...(hasScripts ? [RUN_SCRIPT] : []),
  ];
}

/** The meta-tools in toolMode "dynamic". */
export function dynamicTools(
  toolboxes: readonly ToolboxSettings[],
  hasScripts: boolean,
): MetaTool[] {
  const tools = [searchToolsTool("dynamic"), openNativeToolboxTool(toolboxes), CLOSE_TOOLBOX];
  return hasScripts ? [...tools, RUN_SCRIPT] : tools;
}

/** The meta-tools reach every server, so pages of a server may not use them. */
const NOT_FOR_PAGES = { ui: { visibility: ["model"] } };

/** A meta-tool as it is listed; `showsPages` if the client supports pages of servers. */
export function listedText(
  tool: MetaTool,
  toolboxes: readonly ToolboxSettings[],
  showsPages = false,
): string {
  const hints = hintsFor(tool.name, toolboxes);
  return JSON.stringify({ ...tool, _meta: showsPages ? { ...hints, ...NOT_FOR_PAGES } : hints });
}

/** Whether a client has `run_script`. Over HTTP, the user has to turn it on. */
export function offersScripts(
  { enabled }: Pick<ScriptSettings, "enabled">,
  { kind }: Pick<Principal, "kind">,
): boolean {
  return enabled ?? (kind === "stdio" || kind === "local");
}

/** Whether there is a `read_tool`: no agent should see a tool that can only refuse. */
export function offersReadTool(
  toolboxes: readonly Pick<ToolboxSettings, "servers">[],
  readTool: WorkbenchSettings["readTool"],
): boolean {
  if (readTool !== "auto") return readTool;
  return toolboxes.some(({ servers }) =>
    Array.from(servers.values()).some(
      ({ disabled, annotations, overrides }) =>
        !disabled &&
        (annotations === "trust" ||
          Object.values(overrides).some((override) => override.class === "read")),
    ),
  );
}

/** A rule without what no agent needs to know: every text that may be empty is refused anyway. */
function advertised({ type, properties, minLength: _minLength, ...rest }: InputRule): InputRule {
  if (properties === undefined) return { type, ...rest };
  const entries = Object.entries(properties).map(([key, value]) => [key, advertised(value)]);
  return { type, properties: Object.fromEntries(entries), ...rest };
}

/** The rule with the names of the toolboxes. */
function choosing(toolboxes: readonly ToolboxSettings[], rule: InputRule): InputRule {
  const toolbox = { type: "string", enum: openable(toolboxes).map(({ name }) => name) } as const;
  return advertised({ ...rule, properties: { ...rule.properties, toolbox } });
}
