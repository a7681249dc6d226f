import { type JsonObject, isObject } from "../wire/messages.ts";

/**
 * MCP Apps (SEP-1865): a tool names a page of its server, a `ui://` resource, in which clients that
 * support the extension show its results. The page may call tools of the server.
 */
export const UI_EXTENSION = "io.modelcontextprotocol/ui";
export const UI_SCHEME = "ui://";
/** Every URI of a page contains it in JSON, in which slashes may be escaped. */
export const UI_TRACE = "ui:";

/**
 * How a client declares that it supports pages. Servers may offer tools with pages only to such
 * clients, so the workbench does it whenever it asks for more than one client.
 */
export const UI_CAPABILITIES: JsonObject = {
  extensions: { [UI_EXTENSION]: { mimeTypes: ["text/html;profile=mcp-app"] } },
};

/** Drafts of the extension had the members of `_meta.ui` directly in `_meta`. */
const FLAT_VISIBILITY = "ui/visibility";

/** Where `_meta` names a page beside `ui.resourceUri`: drafts, and the vendor whose clients began with them. */
export const FLAT_URIS = ["ui/resourceUri", "openai/outputTemplate"] as const;

/** All members of `_meta` that are about pages. */
export const UI_KEYS = [
  "ui",
  ...FLAT_URIS,
  FLAT_VISIBILITY,
  "openai/widgetAccessible",
  "openai/widgetCSP",
  "openai/widgetDescription",
  "openai/widgetDomain",
  "openai/widgetPrefersBorder",
] as const;

/** Every mention of a page in JSON contains one of these: the start of a key or of a URI, before a slash. */
const TRACES = ['"ui', '"openai'] as const;

/** Whether JSON may mention a page, and has to be looked at. */
export function mayMentionUi(includes: (text: string) => boolean): boolean {
  return TRACES.some((trace) => includes(trace));
}

/** Whether a URI may lead to a page. A lenient server reads it in any case, without spaces in it. */
export function isPageUri(uri: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is removed
  return /^ui:/i.test(uri.replaceAll(/[\0- ]/g, ""));
}

/** Whether a client that declared these capabilities supports MCP Apps. */
export function supportsUi({ extensions }: JsonObject): boolean {
  return isObject(extensions) && isObject(extensions[UI_EXTENSION]);
}

/** The page of a tool, by its definition; undefined if it has none. */
export function pageOf({ _meta: meta }: JsonObject): string | undefined {
  if (!isObject(meta)) return undefined;
  const { ui } = meta;
  const uris = [isObject(ui) ? ui["resourceUri"] : undefined, ...FLAT_URIS.map((key) => meta[key])];
  const uri = uris.find((one) => typeof one === "string");
  return uri?.startsWith(UI_SCHEME) === true ? uri : undefined;
}

/** Whether a tool may be used by the model, or by pages. If two members disagree, it may not. */
export function isVisibleTo(user: "model" | "app", { _meta: meta }: JsonObject): boolean {
  if (!isObject(meta)) return true;
  const { ui, [FLAT_VISIBILITY]: flat } = meta;
  const nested = isObject(ui) ? ui["visibility"] : undefined;
  return [nested, flat].every((users) => users === undefined || includes(users, user));
}

function includes(users: unknown, user: string): boolean {
  return Array.isArray(users) ? users.includes(user) : users === user;
}
