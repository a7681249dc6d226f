import type { WorkbenchSettings } from "../config/types.ts";
import { workbenchError } from "../errors.ts";
import { askRaw } from "../servers/ask.ts";
import { clientProfile } from "../relay/client-profile.ts";
import type { ToolIdentifier } from "../toolboxes/identifier.ts";
import type { FailedServer } from "../toolboxes/toolbox.ts";
import { NAME, VERSION } from "../version.ts";
import { inexactKey, shapeOf } from "../wire/exact-keys.ts";
import type { JsonObject } from "../wire/messages.ts";
import { acceptSearchTools, acceptUseTool, refuseInput } from "./input.ts";
import { fullText, unreachable } from "./open-toolbox.ts";
import { findServer, findToolbox, orThrow, toolNotFound } from "./find.ts";
import { Workbench } from "./workbench.ts";

/** A tool as a server defines it; further members are kept as they are. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly [member: string]: unknown;
}

/** A tool together with where it is found. */
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
  /** What the servers say about their use, by server. */
  readonly instructions?: Readonly<Record<string, string>>;
}

/** The result of a tool, exactly as its server gave it. */
export interface ToolResult {
  readonly content?: readonly JsonObject[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly [member: string]: unknown;
}

export interface UseToolOptions {
  /** Cancels the call; the server is told. */
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
  /** `schema` gives each tool's definition as a line of JSON. */
  readonly detail?: "lines" | "schema";
}

export interface EmbeddedOptions {
  /** True shares what servers have shown of themselves with other workbenches of the user. */
  readonly cache?: boolean;
}

/** A workbench inside a program, without any client. */
export interface EmbeddedWorkbench {
  /** Connects all servers of a toolbox and lists their tools. */
  openToolbox(toolbox: string): Promise<OpenToolboxResult>;
  /**
   * The best tools for a query, one line each: `toolbox/server/name(parameters) — purpose`. Servers
   * that were never connected are looked at first, unless `discovery` is off.
   */
  searchTools(query: string, options?: SearchToolsOptions): Promise<string>;
  /** Calls a tool, connecting its server if needed. */
  useTool(tool: ToolIdentifier, args?: JsonObject, options?: UseToolOptions): Promise<ToolResult>;
  /** Ends the connections of a toolbox; other toolboxes are not touched. */
  closeToolbox(toolbox: string): Promise<void>;
  /** Ends every server. The workbench cannot be used afterwards. */
  close(): Promise<void>;
}

/**
 * Runs the toolboxes of a configuration inside the calling program. Whatever goes wrong is thrown;
 * nothing is written to the program's standard error or to the folders of its user.
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
  const client = clientProfile("legacy", {}, { name: NAME, version: VERSION });
  return {
    async openToolbox(name) {
      const toolbox = orThrow(findToolbox(workbench.toolboxes, name));
      const opened = await toolbox.open((server) => server.connect(client));
      const problem = unreachable(toolbox, opened);
      if (problem !== undefined) throw problem;
      return JSON.parse(fullText(toolbox, opened)) as OpenToolboxResult;
    },
    async searchTools(query, options = {}) {
      const input = { query, ...options };
      if (acceptSearchTools(input) === undefined) throw await refuseInput("search_tools", input);
      if (options.toolbox !== undefined) orThrow(findToolbox(workbench.toolboxes, options.toolbox));
      return (await workbench.discovery()).search(workbench.toolboxes, input);
    },
    async useTool(tool, args = {}, options = {}) {
      const input = { tool, arguments: args };
      if (acceptUseTool(input) === undefined) throw await refuseInput("use_tool", input);
      const server = orThrow(findServer(workbench.toolboxes, tool));
      const connection = await server.connect(client);
      if (!connection.catalogue.tools.has(tool.name)) await server.refreshed(connection);
      const called = connection.catalogue.tools.get(tool.name);
      if (called === undefined) throw toolNotFound(tool, connection);
      const pinned = shapeOf(Object.keys(called.pinned ?? {}));
      const inexact = inexactKey(JSON.stringify(args), pinned);
      if (inexact !== undefined) throw workbenchError("INVALID_PARAMETERS", inexact);
      const { meta, ...rest } = options;
      const params = {
        name: called.ownName,
        arguments: { ...args, ...called.pinned },
        ...(meta && { _meta: meta }),
      };
      const response = await askRaw(connection, "tools/call", params, {
        ...rest,
        subject: tool.name,
      });
      return response.parse().result as ToolResult;
    },
    async closeToolbox(name) {
      await orThrow(findToolbox(workbench.toolboxes, name)).disconnect();
    },
    close: () => workbench.close(),
  };
}
