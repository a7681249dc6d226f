/**
 * What the types of the library promise. Nothing here runs: the compiler checks it with the rest,
 * and an `@ts-expect-error` above a line that does compile is an error too.
 */
import type { z } from "zod";

import {
  type CloseToolboxInput,
  ERRORS,
  type EmbeddedWorkbench,
  type ErrorCode,
  type ErrorParams,
  type FailedServer,
  type JsonObject,
  type OpenToolboxInput,
  type OpenToolboxResult,
  OpenToolboxInputSchema,
  type RpcError,
  type SearchToolsInput,
  ServerRpcError,
  type Tool,
  type ToolIdentifier,
  ToolIdentifierSchema,
  type ToolInfo,
  type ToolResult,
  type UseToolInput,
  UseToolInputSchema,
  VERSION,
  type WorkbenchConfig,
  WorkbenchError,
  type WorkbenchSettings,
  createWorkbench,
  formatToolName,
  isWorkbenchError,
  loadConfig,
  parseConfig,
  parseToolName,
  resolveConfig,
} from "./index.ts";

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only for types that are exactly the same. */
function same<A, B>(_proof: Equal<A, B>): void {}

declare const workbench: EmbeddedWorkbench;
declare const settings: WorkbenchSettings;
declare const unknown: unknown;

export function identifiers(): void {
  const tool: ToolIdentifier = { toolbox: "dev", server: "fs", name: "read" };
  same<keyof ToolIdentifier, "toolbox" | "server" | "name">(true);
  same<z.infer<typeof ToolIdentifierSchema>, Readonly<ToolIdentifier>>(true);
  // @ts-expect-error -- all three parts are needed
  const partial: ToolIdentifier = { toolbox: "dev", server: "fs" };
  // @ts-expect-error -- the older spelling of `name` is gone
  const older: ToolIdentifier = { toolbox: "dev", server: "fs", tool: "read" };
  // @ts-expect-error -- an identifier is not changed after it was made
  tool.name = "write";
  // @ts-expect-error -- nor is one that a schema gave
  ToolIdentifierSchema.parse(unknown).server = "other";
  same<ReturnType<typeof formatToolName>, string>(true);
  same<ReturnType<typeof parseToolName>, ToolIdentifier | null>(true);
  void [partial, older];
}

export function inputs(): void {
  same<z.infer<typeof UseToolInputSchema>, UseToolInput>(true);
  same<z.infer<typeof OpenToolboxInputSchema>, OpenToolboxInput>(true);
  same<UseToolInput["arguments"], Record<string, unknown> | undefined>(true);
  same<CloseToolboxInput, { toolbox: string }>(true);
  const search: SearchToolsInput = { query: "files", limit: 3 };
  const open: OpenToolboxInput = { toolbox: "dev" };
  // @ts-expect-error -- the alias is understood but not part of the interface
  const alias: OpenToolboxInput = { toolbox_name: "dev" };
  // @ts-expect-error -- arguments are an object
  const list: UseToolInput = { tool: { toolbox: "a", server: "b", name: "c" }, arguments: [1] };
  void [search, open, alias, list];
}

export async function embedding(): Promise<void> {
  same<ReturnType<typeof createWorkbench>, EmbeddedWorkbench>(true);
  same<Awaited<ReturnType<typeof loadConfig>>, WorkbenchSettings>(true);
  same<Awaited<ReturnType<typeof parseConfig>>, WorkbenchSettings>(true);
  createWorkbench(settings);
  createWorkbench(await loadConfig({ file: "workbench-config.json" }));
  // @ts-expect-error -- a configuration has to be checked first
  createWorkbench({ toolboxes: {} });
  // @ts-expect-error -- and waited for
  createWorkbench(loadConfig());

  const opened: OpenToolboxResult = await workbench.openToolbox("dev");
  const tools: readonly ToolInfo[] = opened.tools;
  const [tool] = tools;
  same<ToolInfo["toolbox"], string>(true);
  const definition: Tool | undefined = tool;
  const icons: unknown = tool?.["icons"];
  const failed: readonly FailedServer[] | undefined = opened.servers_failed;
  // @ts-expect-error -- a result is read, not written
  opened.servers_connected = 0;

  const result: ToolResult = await workbench.useTool(
    { toolbox: "dev", server: "fs", name: "read" },
    { path: "notes.txt" },
    { signal: AbortSignal.timeout(1000), onProgress: ({ progress }: JsonObject) => void progress },
  );
  const isError: boolean | undefined = result.isError;
  // @ts-expect-error -- a tool is named by an identifier, not by a text
  await workbench.useTool("dev__fs__read", {});
  // @ts-expect-error -- arguments are an object
  await workbench.useTool({ toolbox: "dev", server: "fs", name: "read" }, ["notes.txt"]);
  // @ts-expect-error -- options that do not exist are mistakes
  await workbench.useTool({ toolbox: "a", server: "b", name: "c" }, {}, { timeout: 5 });
  same<ReturnType<EmbeddedWorkbench["closeToolbox"]>, Promise<void>>(true);
  same<ReturnType<EmbeddedWorkbench["close"]>, Promise<void>>(true);
  void [definition, icons, failed, isError];
}

export async function configurations(): Promise<void> {
  const config: WorkbenchConfig = {
    toolboxes: {
      dev: {
        description: "Files",
        mcpServers: {
          local: { command: "npx", args: ["-y", "server"], env: { LEVEL: "${LEVEL:-info}" } },
          remote: { url: "https://example.com/mcp", headers: { Authorization: "Bearer x" } },
        },
      },
    },
  };
  await resolveConfig(config, { env: { LEVEL: "debug" } });
  // @ts-expect-error -- a toolbox needs a description
  const undescribed: WorkbenchConfig = { toolboxes: { dev: { mcpServers: {} } } };
  // @ts-expect-error -- there is no such mode
  const mode: WorkbenchConfig = { toolMode: "magic", toolboxes: {} };
  // @ts-expect-error -- what was checked is not changed
  settings.toolMode = "dynamic";
  void [undescribed, mode];
}

export function errors(): void {
  const error: unknown = unknown;
  if (isWorkbenchError(error)) {
    same<typeof error, WorkbenchError>(true);
    const code: ErrorCode = error.code;
    const hint: string | undefined = error.hint;
    // @ts-expect-error -- there is no such code
    const wrong: boolean = error.code === "NO_SUCH_CODE";
    void [code, hint, wrong];
  }
  if (error instanceof ServerRpcError) same<typeof error.rpc, RpcError>(true);
  const message: string = ERRORS.TOOLBOX_NOT_FOUND.message({ toolbox: "dev" });
  same<ErrorParams<"TOOLBOX_NOT_FOUND">["toolbox"], string>(true);
  // @ts-expect-error -- the template needs its parameters
  ERRORS.TOOLBOX_NOT_FOUND.message({});
  const version: string = VERSION;
  void [message, version];
}
