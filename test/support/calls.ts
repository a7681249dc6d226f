/** Calls as an agent makes them, in a few words. */
import type { Conversation, RequestOptions } from "./clients/conversation.ts";
import { GENEROUS_MS, type Message, type Params, type Response } from "./clients/json-rpc.ts";
import { waitFor } from "./proc.ts";

/** Anything that can send requests, over stdio or HTTP. */
export type Requests = Pick<Conversation, "request">;

export interface Content {
  readonly type: string;
  readonly text?: string;
  readonly [member: string]: unknown;
}

export interface ToolResult {
  readonly content: readonly Content[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Params;
  readonly [member: string]: unknown;
}

export interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: Params;
  readonly _meta?: Params;
  readonly [member: string]: unknown;
}

export interface ToolInfo extends Tool {
  readonly toolbox: string;
  readonly server: string;
}

export interface OpenedToolbox {
  readonly toolbox: string;
  readonly description: string;
  readonly servers_connected: number;
  readonly tools: readonly ToolInfo[];
  readonly servers_failed?: readonly { readonly server: string; readonly reason: string }[];
  readonly servers_starting?: readonly { readonly server: string; readonly reason: string }[];
  readonly instructions?: Readonly<Record<string, string>>;
}

export interface CallOptions extends RequestOptions {
  readonly meta?: Params;
  /** Further members of `params`, beside `name` and `arguments`. */
  readonly extra?: Params;
}

/** `tools/call` with the name as it is. */
export function callTool(
  client: Requests,
  name: string,
  args?: unknown,
  { meta, extra, ...options }: CallOptions = {},
): Promise<Response> {
  const params = {
    name,
    ...(args !== undefined && { arguments: args }),
    ...(meta && { _meta: meta }),
    ...extra,
  };
  return client.request("tools/call", params, options);
}

/** Splits `toolbox/server/name` at the first two slashes. */
export function identifier(path: string): { toolbox: string; server: string; name: string } {
  const [toolbox = "", server = "", ...name] = path.split("/");
  return { toolbox, server, name: name.join("/") };
}

/** `use_tool` on the tool `toolbox/server/name`, as parameters of `tools/call`. */
export function useToolParams(path: string, args?: unknown, meta?: Params): Params {
  const tool = identifier(path);
  const input = args === undefined ? { tool } : { tool, arguments: args };
  return { name: "use_tool", arguments: input, ...(meta && { _meta: meta }) };
}

/** Calls the tool `toolbox/server/name` with `use_tool`. */
export function useTool(
  client: Requests,
  path: string,
  args?: unknown,
  { meta, extra, ...options }: CallOptions = {},
): Promise<Response> {
  return client.request("tools/call", { ...useToolParams(path, args, meta), ...extra }, options);
}

export function resultOf(response: Response): ToolResult {
  if (response.error) throw new Error(`an error came back: ${response.line.slice(0, 2000)}`);
  return response.result as ToolResult;
}

/** The text of a result that is one block of text and not an error. */
export function textOf(response: Response): string {
  return textOfResult(resultOf(response));
}

/** The same of a result without the response around it. */
export function textOfResult(result: Params | ToolResult): string {
  const { content, isError } = result as ToolResult;
  const [block, ...more] = content ?? [];
  const text = block?.type === "text" && more.length === 0 ? block.text : undefined;
  if (isError === true || text === undefined) {
    throw new Error(`not one block of text: ${JSON.stringify(result).slice(0, 2000)}`);
  }
  return text;
}

/** The first text of a result, whether it is an error or not. */
export function firstText(message: Message | undefined): string | undefined {
  return message?.result?.content?.[0]?.text;
}

/** The same, or the message of a JSON-RPC error. */
export function textOrError(message: Message | undefined): string {
  return firstText(message) ?? message?.error?.message ?? "";
}

/** The message of a tool result that is an error, as the agent reads it. */
export function toolErrorOf(response: Response): string {
  const { content, isError } = resultOf(response);
  if (isError !== true) throw new Error(`not an error: ${response.line.slice(0, 2000)}`);
  return content.map(({ text }) => text).join("\n");
}

/** The message of a failure, whether it came as a tool result or as a JSON-RPC error. */
export function failureOf(response: Response): string {
  return response.error ? response.error.message : toolErrorOf(response);
}

/** Opens a toolbox once; on a busy machine, some of its servers may still be starting. */
export async function openToolboxOnce(client: Requests, toolbox: string): Promise<OpenedToolbox> {
  return JSON.parse(textOf(await callTool(client, "open_toolbox", { toolbox }))) as OpenedToolbox;
}

/** Opens a toolbox, and again, as the answer advises, until none of its servers is still starting. */
export function openToolbox(client: Requests, toolbox: string): Promise<OpenedToolbox> {
  return waitFor(
    async () => {
      const opened = await openToolboxOnce(client, toolbox);
      return opened.servers_starting === undefined && opened;
    },
    GENEROUS_MS,
    `every server of '${toolbox}' to be started`,
  );
}

/** The text that `search_tools` answers. */
export async function searchTools(
  client: Requests,
  query: string,
  more: Params = {},
): Promise<string> {
  return textOf(await callTool(client, "search_tools", { query, ...more }));
}

export async function listTools(client: Requests): Promise<Tool[]> {
  const response = await client.request("tools/list", {});
  return (response.result as { tools: Tool[] }).tools;
}

/** The result of the fixture's tool `status`. */
export interface FixtureStatus {
  readonly name: string;
  readonly pid: number;
  readonly ppid: number;
  readonly cwd: string;
  readonly envKeys: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly meta?: Params;
  readonly protocolVersion: string;
  readonly clientInfo: Params;
  readonly cancelled: readonly unknown[];
  readonly tokens: readonly unknown[];
}

export async function fixtureStatus(
  client: Requests,
  server: string,
  options?: CallOptions,
): Promise<FixtureStatus> {
  return JSON.parse(
    textOf(await useTool(client, `${server}/status`, {}, options)),
  ) as FixtureStatus;
}
