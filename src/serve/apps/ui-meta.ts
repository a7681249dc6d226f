import type { ServerRef } from "../../calls/identifier.ts";
import { FLAT_URI, UI_KEYS } from "../../protocol/ui-extension.ts";
import { memberText, replaceMember, withMembers } from "../../wire/members.ts";
import { qualifiedUri } from "../surface/kept-schemes.ts";

/**
 * `_meta` of a tool or a result, as JSON, as a client sees it: with the client's URI of the page, or
 * without anything about pages if `place` is undefined. All other bytes stay as they are.
 */
export function uiMetaFor(meta: string, place: ServerRef | undefined): string {
  if (place === undefined)
    return withMembers(meta, Object.fromEntries(UI_KEYS.map((key) => [key, undefined])));
  const flat = clientUri(memberText(meta, FLAT_URI), place);
  const ui = memberText(meta, "ui");
  const nested = ui?.startsWith("{") ? clientUri(memberText(ui, "resourceUri"), place) : undefined;
  const written = flat === undefined ? meta : replaceMember(meta, FLAT_URI, flat);
  if (ui === undefined || nested === undefined) return written;
  return replaceMember(written, "ui", replaceMember(ui, "resourceUri", nested));
}

/** Whether `_meta` has anything about pages. */
export function hasUiMeta(meta: object): boolean {
  return UI_KEYS.some((key) => key in meta);
}

/** The client's URI for a URI of a server, both as JSON; undefined if clients see it as it is. */
export function clientUri(own: string | undefined, place: ServerRef): string | undefined {
  if (!own?.startsWith('"')) return undefined;
  const uri = qualifiedUri(place, JSON.parse(own) as string);
  return uri && JSON.stringify(uri);
}
