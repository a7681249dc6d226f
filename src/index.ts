/**
 * MCP Workbench as a library: run toolboxes inside a program, or check and read configurations.
 *
 * @module
 */

export { createWorkbench } from "./embed/create.ts";
export type {
  EmbeddedOptions,
  EmbeddedWorkbench,
  OpenToolboxResult,
  SearchToolsOptions,
  Tool,
  ToolInfo,
  ToolResult,
  UseToolOptions,
} from "./embed/create.ts";
export type { FailedServer } from "./toolboxes/open.ts";

export { loadConfig, parseConfig, resolveConfig } from "./config/load.ts";
export type { LoadOptions, ParseOptions } from "./config/load.ts";
export type { WorkbenchConfig } from "./config/schema.ts";
export type { ServerSettings, ToolboxSettings, WorkbenchSettings } from "./config/types.ts";

export type { ToolIdentifier } from "./calls/identifier.ts";
export { formatToolName, parseToolName } from "./toolboxes/native-names.ts";
export {
  CloseToolboxInputSchema,
  OpenToolboxInputSchema,
  SearchToolsInputSchema,
  ToolIdentifierSchema,
  UseToolInputSchema,
} from "./workbench/meta-tools/input-schemas.ts";
export type {
  CloseToolboxInput,
  OpenToolboxInput,
  SearchToolsInput,
  UseToolInput,
} from "./workbench/meta-tools/input-schemas.ts";

export { ERRORS, WorkbenchError, isWorkbenchError } from "./errors.ts";
export type { ErrorCode, ErrorParams } from "./errors.ts";
export { ServerRpcError } from "./servers/requests/ask.ts";
export type { JsonObject, RpcError } from "./wire/messages.ts";
export { VERSION } from "./version.ts";
