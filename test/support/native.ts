/** Native tools (toolMode "dynamic") as tests look at them. */
import { callTool, type FixtureStatus, listTools, textOf, type Tool } from "./calls.ts";
import type { RawClient, Response } from "./raw-client.ts";
import { type Config, dev, fixture, toolbox } from "./servers.ts";

const LIST_CHANGED = "notifications/tools/list_changed";
const META_TOOLS = ["open_toolbox", "close_toolbox", "use_tool", "search_tools", "run_script"];

/** One toolbox `dev` with one server `fx`. */
export const oneToolbox: Config = dev({ fx: fixture("--name", "dev-fx") }, { toolMode: "dynamic" });

/** Two toolboxes, `dev` and `prod`, with a server `fx` each. */
export const twoToolboxes: Config = {
  toolMode: "dynamic",
  toolboxes: {
    dev: toolbox({ fx: fixture("--name", "dev-fx"), other: fixture("--name", "dev-other") }),
    prod: toolbox({ fx: fixture("--name", "prod-fx") }),
  },
};

export async function nativeTools(client: RawClient): Promise<Tool[]> {
  return (await listTools(client)).filter(({ name }) => !META_TOOLS.includes(name));
}

export function namesOf(tools: readonly Tool[]): string[] {
  return tools.map(({ name }) => name);
}

export function closeToolbox(client: RawClient, name: string): Promise<Response> {
  return callTool(client, "close_toolbox", { toolbox: name });
}

/** How often the client was notified that the tool list changed. */
export function changes(client: RawClient): number {
  return client.notificationsOf(LIST_CHANGED).length;
}

export async function statusOf(client: RawClient, nativeName: string): Promise<FixtureStatus> {
  return JSON.parse(textOf(await callTool(client, nativeName, {}))) as FixtureStatus;
}

/** Toolbox, server and original name from `_meta` of a native tool, on any level. */
export function originOf({ _meta: meta = {} }: Tool): string[] {
  return Object.values(meta)
    .filter((value) => typeof value === "object" && value !== null)
    .flatMap((value) => Object.values(value as object) as unknown[])
    .concat(Object.values(meta))
    .filter((value) => typeof value === "string");
}
