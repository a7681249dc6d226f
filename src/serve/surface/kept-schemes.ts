import type { ServerRef } from "../../calls/identifier.ts";
import { UI_SCHEME } from "../../protocol/ui-extension.ts";

/**
 * Schemes that mean something to clients, so that resources keep them: `ui://dev.charts/bar` is the
 * resource `ui://bar` of the server `charts` in the toolbox `dev`.
 */

export const SKILL_SCHEME = "skill://";
/** The skills of the workbench itself. Not the authority of a server, which has a dot. */
export const OWN_SKILLS = `${SKILL_SCHEME}workbench/`;
const KEPT = [UI_SCHEME, SKILL_SCHEME];

/** The scheme of a URI, if clients see it. */
export function keptScheme(uri: string): string | undefined {
  return KEPT.find((scheme) => uri.startsWith(scheme));
}

/** A server as the authority of a URI. The first dot separates, so a toolbox is written without. */
function authorityOf({ toolbox, server }: ServerRef): string {
  return `${toolbox.replaceAll(".", "%2E")}.${server}`;
}

/**
 * Segments that lead to a parent folder. A client that makes paths of URIs would find the files of
 * one server among those of another.
 */
const DOT_SEGMENT = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\?#]|%2f|%5c|$)/i;

/** The URI under which clients see a resource; undefined if it does not keep its scheme. */
export function qualifiedUri(place: ServerRef, uri: string): string | undefined {
  const scheme = keptScheme(uri);
  if (scheme === undefined || DOT_SEGMENT.test(uri.slice(scheme.length))) return undefined;
  return `${scheme}${authorityOf(place)}/${uri.slice(scheme.length)}`;
}

/** The server and its own URI, for a URI that may be one of clients; undefined if it is not. */
export function ownUri(uri: string): { place: ServerRef; uri: string } | undefined {
  const scheme = keptScheme(uri);
  if (scheme === undefined) return undefined;
  const end = uri.indexOf("/", scheme.length);
  const dot = uri.indexOf(".", scheme.length);
  if (end < 0 || dot < 0 || dot > end) return undefined;
  const toolbox = uri.slice(scheme.length, dot).replaceAll(/%2E/gi, ".");
  const place = { toolbox, server: uri.slice(dot + 1, end) };
  return { place, uri: scheme + uri.slice(end + 1) };
}
