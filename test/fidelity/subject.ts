/** A server as a client of the matrix sees it, under whatever names. */
import type { FidelityClient, Json, CallOptions } from "../support/clients/matrix-client.ts";
import { textOfResult } from "../support/calls.ts";
import type { Column } from "./columns.ts";

export { textOfResult as textOf } from "../support/calls.ts";

/** The toolbox whose server is shared by all clients. */
export const SHARED = "box";
/** The toolbox whose server has a process for each client. */
export const ISOLATED = "own";
/** The toolbox whose server runs on one of several replicas. */
export const ONCE = "once";
export type ToolboxName = typeof SHARED | typeof ISOLATED | typeof ONCE;
export const SERVER = "srv";

export interface ToolOptions extends CallOptions {
  readonly meta?: Json;
  /** Further parameters beside name and arguments. */
  readonly extra?: Json;
}

const OWN_TOOLS = ["open_toolbox", "close_toolbox", "use_tool", "search_tools", "run_script"];

export class Subject {
  readonly client: FidelityClient;
  readonly column: Column;
  /** The name that the toolbox has here. */
  readonly toolbox: string;

  constructor(client: FidelityClient, column: Column, toolbox: string) {
    this.client = client;
    this.column = column;
    this.toolbox = toolbox;
  }

  /** The prefix of the names of tools and prompts. */
  get #native(): string {
    return `${this.toolbox}__${SERVER}__`;
  }

  /** The prefix of the URIs of resources. */
  get #address(): string {
    return `workbench://${this.toolbox}/${SERVER}/`;
  }

  /** Whether clients use the server's own names. */
  get plain(): boolean {
    return this.column.mode === "transparent" || this.column.mode === "direct";
  }

  /** Opens the server for a session that sees only what it has opened. */
  async prepare(): Promise<void> {
    const { mode } = this.column;
    if (mode === "proxy" || (mode === "dynamic" && this.client.era === "legacy")) await this.open();
  }

  /** What `open_toolbox` answers. */
  async open(): Promise<Json> {
    const params = { name: "open_toolbox", arguments: { toolbox: this.toolbox } };
    return JSON.parse(textOfResult(await this.client.request("tools/call", params))) as Json;
  }

  tool(name: string, args: Json = {}, options: ToolOptions = {}): Promise<Json> {
    const { meta, extra, ...rest } = options;
    const more = { ...(meta && { _meta: meta }), ...extra };
    return this.client.request("tools/call", { ...this.toolCall(name, args), ...more }, rest);
  }

  /** The parameters that call a tool of the server. */
  toolCall(name: string, args: Json): { name: string; arguments: Json } {
    if (this.plain) return { name, arguments: args };
    if (this.column.mode === "dynamic") return { name: `${this.#native}${name}`, arguments: args };
    const tool = { toolbox: this.toolbox, server: SERVER, name };
    return { name: "use_tool", arguments: { tool, arguments: args } };
  }

  promptName(name: string): string {
    return this.plain ? name : `${this.#native}${name}`;
  }

  uri(uri: string): string {
    return this.plain ? uri : `${this.#address}${uri}`;
  }

  /** The parameters of a server's request as the client has to see them: with their origin. */
  withOrigin(method: string, params: Json): Json {
    const key = { "elicitation/create": "message", "sampling/createMessage": "systemPrompt" }[
      method
    ];
    if (this.plain || key === undefined) return params;
    return { ...params, [key]: `[${this.toolbox}/${SERVER}] ${String(params[key] ?? "")}` };
  }

  getPrompt(name: string, args: Json = {}): Promise<Json> {
    return this.client.request("prompts/get", { name: this.promptName(name), arguments: args });
  }

  read(uri: string): Promise<Json> {
    return this.client.request("resources/read", { uri: this.uri(uri) });
  }

  /** The tools as the server defined them. */
  async tools(): Promise<Json[]> {
    if (this.column.mode === "proxy") {
      const { tools } = await this.open();
      return (tools as Json[]).map(({ toolbox: _toolbox, server: _server, ...tool }) => tool);
    }
    const listed = await this.listAll("tools/list", "tools");
    if (this.plain) return listed;
    return listed
      .filter(({ name }) => !OWN_TOOLS.includes(String(name)))
      .map((tool) => withoutOrigin(tool, this.toolbox));
  }

  async prompts(): Promise<Json[]> {
    return this.#restored(await this.listAll("prompts/list", "prompts"), "name", this.#native);
  }

  async resources(): Promise<Json[]> {
    return this.#restored(await this.listAll("resources/list", "resources"), "uri", this.#address);
  }

  async templates(): Promise<Json[]> {
    const listed = await this.listAll("resources/templates/list", "resourceTemplates");
    return this.#restored(listed, "uriTemplate", this.#address);
  }

  async listAll(method: string, key: string): Promise<Json[]> {
    const items: Json[] = [];
    let cursor: unknown;
    do {
      const page = await this.client.request(method, cursor === undefined ? {} : { cursor });
      items.push(...(page[key] as Json[]));
      cursor = page["nextCursor"];
    } while (cursor !== undefined);
    return items;
  }

  #restored(items: Json[], key: string, prefix: string): Json[] {
    if (this.plain) return items;
    return items.map((item) => {
      const name = String(item[key]);
      if (!name.startsWith(prefix)) throw new Error(`${name} does not start with ${prefix}`);
      return { ...item, [key]: name.slice(prefix.length) };
    });
  }
}

/** A native tool as the server defined it; fails if its origin is not stated as promised. */
function withoutOrigin(tool: Json, toolbox: string): Json {
  const { name, description, _meta: meta, ...rest } = tool;
  const { "mcp-workbench/tool": origin, ...own } = meta as Json;
  const prefix = `[${toolbox}/${SERVER}]`;
  const ownName = String(name).slice(`${toolbox}__${SERVER}__`.length);
  const id = { toolbox, server: SERVER, name: ownName };
  if (JSON.stringify(origin) !== JSON.stringify(id) || !String(description).startsWith(prefix))
    throw new Error(`the origin of ${String(name)} is not stated`);
  return {
    ...rest,
    name: id.name,
    description: String(description).slice(prefix.length + 1),
    ...(Object.keys(own).length > 0 && { _meta: own }),
  };
}

/** The JSON in the text of a result. */
export function jsonOf(result: Json): Json {
  return JSON.parse(textOfResult(result)) as Json;
}
