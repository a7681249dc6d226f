import type { ServerRef } from "../../calls/identifier.ts";
import { FLAT_URIS, UI_KEYS, mayMentionUi } from "../../protocol/ui-extension.ts";
import { memberText, replaceMember, withMembers } from "../../wire/members.ts";
import { qualifiedUri } from "../surface/kept-schemes.ts";

/**
 * `_meta` of a tool or a result, as JSON, as a client sees it: with the client's URI of the page, or
 * without anything about pages if `place` is undefined. All other bytes stay as they are.
 */
export function uiMetaFor(meta: string, place: ServerRef | undefined): string {
  if (place === undefined)
    return withMembers(meta, Object.fromEntries(UI_KEYS.map((key) => [key, undefined])));
  let written = meta;
  for (const key of FLAT_URIS) {
    const flat = clientUri(memberText(written, key), place);
    if (flat !== undefined) written = replaceMember(written, key, flat);
  }
  const ui = memberText(meta, "ui");
  const nested = ui?.startsWith("{") ? clientUri(memberText(ui, "resourceUri"), place) : undefined;
  if (ui === undefined || nested === undefined) return written;
  return replaceMember(written, "ui", replaceMember(ui, "resourceUri", nested));
}

/** A definition, as JSON, without anything about pages. */
export function definitionWithoutUi(text: string): string {
  const mayMention = mayMentionUi((trace) => text.includes(trace));
  const meta = mayMention ? memberText(text, "_meta") : undefined;
  if (!meta?.startsWith("{")) return text;
  const rest = uiMetaFor(meta, undefined);
  if (rest === meta) return text;
  return withMembers(text, { _meta: rest === "{}" ? undefined : rest });
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
