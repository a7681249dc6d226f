import { RPC } from "../errors.ts";
import type { Server } from "../servers/server.ts";
import type { RpcError } from "../wire/messages.ts";
import { type ReachableServer, listAcross } from "./across.ts";
import type { Requester } from "./requester.ts";

/**
 * Resource URIs: `workbench://{toolbox}/{server}/` followed by the server's own URI, unchanged. A
 * bare URI, as it occurs in tool results, is accepted if only one open server can mean it.
 */

const SCHEME = "workbench://";

export interface ResourceAddress {
  readonly server: Server;
  readonly uri: string;
}

export function resourceUri(server: Server, uri: string): string {
  return `${SCHEME}${server.settings.toolbox}/${server.name}/${uri}`;
}

export async function findResource(
  requester: Requester,
  uri: string,
): Promise<ResourceAddress | RpcError> {
  return uri.startsWith(SCHEME) ? parseUri(requester, uri) : findBare(requester, uri);
}

function parseUri(requester: Requester, uri: string): ResourceAddress | RpcError {
  const [toolbox = "", serverName = "", ...rest] = uri.slice(SCHEME.length).split("/");
  const server = requester.scope.get(toolbox)?.servers.get(serverName);
  if (server === undefined) return notFound(uri, "no such toolbox or server");
  return { server, uri: rest.join("/") };
}

async function findBare(requester: Requester, uri: string): Promise<ResourceAddress | RpcError> {
  const offering = requester.open.filter(
    ({ connection }) => "resources" in connection.greeting.capabilities,
  );
  const [only] = offering;
  if (only !== undefined && offering.length === 1) return { server: only.server, uri };
  const meant = await serversMeaning(offering, uri);
  const [server] = meant;
  if (server !== undefined && meant.length === 1) return { server, uri };
  if (meant.length === 0)
    return notFound(
      uri,
      "no open server lists it. Use workbench://{toolbox}/{server}/ in front of it",
    );
  const choices = meant.map((candidate) => resourceUri(candidate, uri)).join(" or ");
  return notFound(uri, `several servers have it. Use ${choices}`);
}

async function serversMeaning(servers: readonly ReachableServer[], uri: string): Promise<Server[]> {
  const meant = new Set<Server>();
  const listed = await listAcross(servers, "resources");
  for (const { server, items } of listed)
    if (items.some(({ value }) => value["uri"] === uri)) meant.add(server);
  if (meant.size > 0) return [...meant];
  const templates = await listAcross(servers, "resourceTemplates");
  for (const { server, items } of templates)
    if (items.some(({ value }) => matchesTemplate(String(value["uriTemplate"]), uri)))
      meant.add(server);
  return [...meant];
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

function notFound(uri: string, reason: string): RpcError {
  return { code: RPC.invalidParams, message: `Resource not found: ${reason}`, data: { uri } };
}
