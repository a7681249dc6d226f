import type { ToolIdentifier } from "../calls/identifier.ts";
import type { WorkbenchSettings } from "../config/types.ts";
import type { FailedServer } from "../toolboxes/open.ts";
import type { JsonObject } from "../wire/messages.ts";
import { findToolbox, orThrow } from "../workbench/find.ts";
import { Workbench } from "../workbench/workbench.ts";
import { LocalClient } from "./local-client.ts";

/** A tool as a server defines it; additional members are kept. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly [member: string]: unknown;
}

/** A tool with its toolbox and server. */
export interface ToolInfo extends Tool {
  readonly toolbox: string;
  readonly server: string;
}

export interface OpenToolboxResult {
  readonly toolbox: string;
  readonly description: string;
  readonly servers_connected: number;
  readonly tools: readonly ToolInfo[];
  readonly servers_failed?: readonly FailedServer[];
  /** The instructions of the servers, by server name. */
  readonly instructions?: Readonly<Record<string, string>>;
}

/** The result of a tool, exactly as its server returned it. */
export interface ToolResult {
  readonly content?: readonly JsonObject[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly [member: string]: unknown;
}

export interface UseToolOptions {
  /** Cancels the call and notifies the server. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: JsonObject) => void;
  /** `_meta` of the request. */
  readonly meta?: JsonObject;
}

export interface SearchToolsOptions {
  /** Only tools of this toolbox. */
  readonly toolbox?: string;
  /** From 1 to 20; 5 if not given. */
  readonly limit?: number;
  /** `schema` returns each tool's definition as a line of JSON. */
  readonly detail?: "lines" | "schema";
}

export interface EmbeddedOptions {
  /** True shares the catalogue cache with other workbenches of the user. */
  readonly cache?: boolean;
}

/** A workbench inside a program, without any client. */
export interface EmbeddedWorkbench {
  /** Connects all servers of a toolbox and lists their tools. */
  openToolbox(toolbox: string): Promise<OpenToolboxResult>;
  /**
   * The best tools for a query, one line each: `toolbox/server/name(parameters) — purpose`. Servers
   * that were never connected are probed first, unless `discovery` is off.
   */
  searchTools(query: string, options?: SearchToolsOptions): Promise<string>;
  /** Calls a tool, connecting its server if needed. */
  useTool(tool: ToolIdentifier, args?: JsonObject, options?: UseToolOptions): Promise<ToolResult>;
  /** Ends the connections of a toolbox; other toolboxes are not affected. */
  closeToolbox(toolbox: string): Promise<void>;
  /** Ends every server. The workbench cannot be used afterwards. */
  close(): Promise<void>;
}

/**
 * Runs the toolboxes of a configuration inside the calling program. Failures are thrown, and nothing is
 * written to standard error. The only files it writes are tokens of sign-ins that it refreshes.
 *
 * @example
 * const workbench = createWorkbench(await loadConfig({ file: "workbench-config.json" }));
 * const { tools } = await workbench.openToolbox("dev");
 * const result = await workbench.useTool({ toolbox: "dev", server: "filesystem", name: "list_directory" }, { path: "." });
 * await workbench.close();
 */
export function createWorkbench(
  settings: WorkbenchSettings,
  { cache = false }: EmbeddedOptions = {},
): EmbeddedWorkbench {
  const quiet = { ...settings.log, level: "silent", file: undefined } as const;
  const workbench = new Workbench({ ...settings, log: quiet }, { cache });
  const client = new LocalClient(workbench);
  const callMetaTool = async (name: string, input: object): Promise<string> => {
    const params = { name, arguments: input as JsonObject };
    const { result } = await client.request("tools/call", params);
    return (result as unknown as { content: { text: string }[] }).content[0]?.text ?? "";
  };
  return {
    async openToolbox(toolbox) {
      const text = await callMetaTool("open_toolbox", { toolbox });
      // The hint is for agents: it suggests how to get a shorter answer.
      const { hint: _hint, ...opened } = JSON.parse(text) as OpenToolboxResult & { hint?: string };
      return opened;
    },
    searchTools: (query, options = {}) => callMetaTool("search_tools", { query, ...options }),
    async useTool(tool, args = {}, options = {}) {
      const { result } = await client.callTool(tool, JSON.stringify(args), options);
      return result;
    },
    async closeToolbox(name) {
      await workbench.pipeline.preparing;
      orThrow(findToolbox(client.scope, name));
      await workbench.toolboxes.get(name)?.disconnect();
    },
    async close() {
      client.close();
      await workbench.close();
    },
  };
}
