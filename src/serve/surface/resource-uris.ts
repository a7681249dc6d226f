import { RPC } from "../../errors.ts";
import { isSkillUri } from "../../protocol/skills-extension.ts";
import type { Server } from "../../servers/server.ts";
import type { RpcError } from "../../wire/messages.ts";
import type { ListedItem } from "../../servers/requests/list-reader.ts";
import { serversIn } from "../../workbench/scopes.ts";
import type { Gathered } from "../../workbench/gather.ts";
import type { ServerLists } from "../../workbench/server-lists.ts";
import type { ServedClient } from "../served-client.ts";
import { hasUiSupport } from "../apps/ui-client.ts";
import { UI_SCHEME, isPageUri } from "../../protocol/ui-extension.ts";
import { SKILL_SCHEME, keptScheme, ownUri, qualifiedUri } from "./kept-schemes.ts";
import { isPinned } from "./seen-tools.ts";

/**
 * Resource URIs: `workbench://{toolbox}/{server}/` followed by the server's own URI, unchanged. Some
 * keep their scheme instead (kept-schemes.ts). A bare URI, as in tool results, is accepted if it can
 * belong to only one open server.
 */

const SCHEME = "workbench://";

export interface ResourceAddress {
  readonly server: Server;
  readonly uri: string;
}

export function resourceUri(server: Server, uri: string): string {
  return (
    qualifiedUri(server.place, uri) ?? `${SCHEME}${server.settings.toolbox}/${server.name}/${uri}`
  );
}

export async function findResource(
  client: ServedClient,
  uri: string,
  lists: ServerLists,
): Promise<ResourceAddress | RpcError> {
  const found = uri.startsWith(SCHEME)
    ? parseUri(client, uri)
    : (findKept(client, uri) ?? (await findBare(client, uri, lists)));
  return "code" in found ? found : addressOn(client, found.server, found.uri, uri);
}

/**
 * A resource of a server, unless the policy denies the client the resources of the server, it belongs
 * to a skill and only what is approved may be used, or it is a page and the client does not support
 * pages; `given` is what the client calls it.
 */
export function addressOn(
  client: ServedClient,
  server: Server,
  uri: string,
  given = uri,
): ResourceAddress | RpcError {
  const { pipeline, principal } = client;
  if (pipeline.visibility?.deniesOthers(principal, server.place))
    return notFound(given, "no such toolbox or server");
  if (isPinned(server) && isSkillUri(uri))
    return notFound(given, "skills are blocked, because a lock file does not have them");
  if (isPageUri(uri) && !hasUiSupport(client)) return notFound(given, NO_PAGES);
  return { server, uri };
}

const NO_PAGES = "pages exist only for clients that declare MCP Apps";

/** The resource behind a URI that has kept its scheme; undefined for a server's own URI. */
function findKept({ scope }: ServedClient, given: string): ResourceAddress | undefined {
  const own = ownUri(given);
  const server = own && scope.get(own.place.toolbox)?.servers.get(own.place.server);
  return server && { server, uri: own.uri };
}

function parseUri(client: ServedClient, uri: string): ResourceAddress | RpcError {
  // Not with split: a URI may have millions of slashes.
  const toolboxEnd = segmentEnd(uri, SCHEME.length);
  const serverEnd = segmentEnd(uri, toolboxEnd + 1);
  const toolbox = client.scope.get(uri.slice(SCHEME.length, toolboxEnd));
  const server = toolbox?.servers.get(uri.slice(toolboxEnd + 1, serverEnd));
  if (server === undefined) return notFound(uri, "no such toolbox or server");
  return { server, uri: uri.slice(serverEnd + 1) };
}

function segmentEnd(uri: string, from: number): number {
  const end = uri.indexOf("/", from);
  return end < 0 ? uri.length : end;
}

/** Longer URIs are not looked up in the lists of servers, which may have thousands of templates. */
const MAX_BARE_CHARS = 64 * 1024;

async function findBare(
  client: ServedClient,
  uri: string,
  lists: ServerLists,
): Promise<ResourceAddress | RpcError> {
  const scheme = keptScheme(uri);
  const only = onlyServer(client, scheme !== undefined);
  if (only !== undefined) return { server: only, uri };
  if (uri.length > MAX_BARE_CHARS) return notFound(undefined, "the URI is too long");
  // To a modern client all servers in scope count as open: what a URI means to it may not depend on
  // what was done before.
  // That holds for pages and skills of every client: they are listed whether or not a server runs.
  const listScope = client.era === "modern" || scheme !== undefined ? "all" : "open";
  const named = await serversNaming(client, uri, lists);
  const meant =
    named.length > 0
      ? named
      : await serversMeaning(uri, (list) => lists.list(client, list, listScope));
  const [server] = meant;
  if (server !== undefined && meant.length === 1) return { server, uri };
  if (server === undefined) {
    const owner = await ownerOf(client, uri);
    if (owner !== undefined) return { server: owner, uri };
    return notFound(
      uri,
      scheme === undefined
        ? "no open server lists it. Use workbench://{toolbox}/{server}/ in front of it"
        : `no known server lists it. Use ${scheme}{toolbox}.{server}/ in place of ${scheme}`,
    );
  }
  const choices = meant.map((candidate) => resourceUri(candidate, uri)).join(" or ");
  return notFound(uri, `several servers have it. Use ${choices}`);
}

/** The known servers whose tools name a page, or that list a skill or a file of it. */
async function serversNaming(
  client: ServedClient,
  uri: string,
  lists: ServerLists,
): Promise<readonly Server[]> {
  if (uri.startsWith(UI_SCHEME))
    return (await import("../apps/app-tools.ts")).serversWithPage(client, uri);
  if (!uri.startsWith(SKILL_SCHEME)) return [];
  const { filesIn } = await import("../skills/skill-entries.ts");
  const { found } = await lists.list(client, "skills", "all");
  return found
    .filter(({ value }) => {
      const entries = value.map((item) => item.value);
      return entries.some((entry) => entry["uri"] === uri) || filesIn(entries).includes(uri);
    })
    .map(({ server }) => server);
}

/** The server that a page belongs to: servers need not list their pages. */
async function ownerOf(client: ServedClient, uri: string): Promise<Server | undefined> {
  if (!uri.startsWith(UI_SCHEME)) return undefined;
  const { pageOwner } = await import("../apps/app-tools.ts");
  return pageOwner(client);
}

/** The server that a client means in any case, because it uses or sees no other with resources. */
function onlyServer(client: ServedClient, isKept: boolean): Server | undefined {
  const servers =
    client.era === "legacy" && !isKept
      ? client.open
          .filter(({ connection }) => "resources" in connection.hello.capabilities)
          .map(({ server }) => server)
      : serversIn(client.scope);
  return servers.length === 1 ? servers[0] : undefined;
}

async function serversMeaning(
  uri: string,
  listed: (list: "resources" | "resourceTemplates") => Promise<Gathered<readonly ListedItem[]>>,
): Promise<Server[]> {
  const resources = await listed("resources");
  const having = resources.found.filter(({ value }) =>
    value.some((item) => item.value["uri"] === uri),
  );
  if (having.length > 0) return having.map(({ server }) => server);
  const templates = await listed("resourceTemplates");
  const matching = templates.found.filter(({ value }) =>
    value.some((item) => matchesTemplate(String(item.value["uriTemplate"]), uri)),
  );
  return matching.map(({ server }) => server);
}

/**
 * The client's URI of a changed resource, if it is the one it calls `name`, or inside it: servers
 * also notify about those, with a URI that starts with the one of the whole. Undefined for all
 * others.
 */
export function nameWithin(uri: string, whole: string, name: string): string | undefined {
  const behind = uri.slice(whole.length);
  const inside = whole.endsWith("/") || behind === "" || /^[/?#]/.test(behind);
  return uri.startsWith(whole) && inside ? name + behind : undefined;
}

/** True if the literal parts of a URI template occur in the URI in order, from start to end. */
export function matchesTemplate(template: string, uri: string): boolean {
  const literals = template.split(/\{[^{}]*\}/);
  const [first = "", ...others] = literals;
  if (!uri.startsWith(first)) return false;
  const last = others.pop();
  if (last === undefined) return uri === first;
  let at = first.length;
  for (const literal of others) {
    const found = uri.indexOf(literal, at);
    if (found < 0) return false;
    at = found + literal.length;
  }
  return uri.length - last.length >= at && uri.endsWith(last);
}

function notFound(uri: string | undefined, reason: string): RpcError {
  const data = uri === undefined ? {} : { data: { uri } };
  return { code: RPC.invalidParams, message: `Resource not found: ${reason}`, ...data };
}
