import type { ServerRef } from "../../calls/identifier.ts";
import { UI_SCHEME, UI_TRACE, isVisibleTo } from "../../protocol/ui-extension.ts";
import { editedResponse } from "../../wire/edited-response.ts";
import {
  type Span,
  elementSpans,
  memberText,
  membersOf,
  replaceMember,
} from "../../wire/members.ts";
import { isObject } from "../../wire/messages.ts";
import type { ServerResponse } from "../../wire/response.ts";
import { type Edit, editText } from "../../wire/splice.ts";
import { clientUri, definitionWithoutUi, uiMetaFor } from "./ui-meta.ts";

/** Responses of servers with pages, as clients see them. Loaded for the first of them. */

/** The result of a tool; without anything about pages if `place` is undefined. */
export function uiResultFor(
  response: ServerResponse,
  place: ServerRef | undefined,
): ServerResponse {
  return editedResponse(response, (text) =>
    editResult(text, (members) => resultEdits(text, members, place)),
  );
}

/** A task; the result in it, if it has ended, is one of a tool. */
export function uiTaskFor(response: ServerResponse, place: ServerRef | undefined): ServerResponse {
  return editedResponse(response, (text) =>
    editResult(text, (task) => {
      const result = task.get("result");
      const members = result && membersOf(text, result.start);
      return members ? resultEdits(text, members, place) : [];
    }),
  );
}

/** A task, as JSON, without anything about pages in its result. */
export function taskTextWithoutUi(task: string): string {
  return editResult(task, (members) => resultEdits(task, members, undefined)) ?? task;
}

function resultEdits(
  text: string,
  members: ReadonlyMap<string, Span>,
  place: ServerRef | undefined,
): Edit[] {
  const meta = members.get("_meta");
  const content = members.get("content");
  const edits =
    content === undefined
      ? []
      : place === undefined
        ? removedLinks(text, content)
        : linkEdits(text, content, place);
  if (meta !== undefined && text[meta.start] === "{")
    edits.push({ ...meta, text: uiMetaFor(text.slice(meta.start, meta.end), place) });
  return edits;
}

/** The contents of a resource, with the URI under which the client knows it. */
export function contentsFor(response: ServerResponse, place: ServerRef): ServerResponse {
  return editedResponse(response, (text) =>
    editResult(text, (members) => {
      const contents = members.get("contents");
      return contents ? uriEdits(text, contents, place) : [];
    }),
  );
}

/** A list of tools or resources for a client that does not support pages. */
export function listWithoutUi(response: ServerResponse, list: string): ServerResponse {
  return editedResponse(response, (text) =>
    editResult(text, (members) => {
      const items = members.get(list);
      if (items === undefined) return [];
      const texts = [...elementSpans(text, items.start)].flatMap(({ start, end }) =>
        itemWithoutUi(text.slice(start, end)),
      );
      return [{ ...items, text: `[${texts.join(",")}]` }];
    }),
  );
}

/** An item of a list without anything about pages; none if it is only for them. */
export function itemWithoutUi(text: string): string[] {
  const item = JSON.parse(text) as unknown;
  if (!isObject(item)) return [text];
  const uri = item["uri"] ?? item["uriTemplate"];
  const isPage = typeof uri === "string" && uri.startsWith(UI_SCHEME);
  if (isPage || !isVisibleTo("model", item)) return [];
  return [definitionWithoutUi(text)];
}

/** Edits the result in a response or a task; `editsOf` gets the places of its members. */
function editResult(
  text: string,
  editsOf: (members: ReadonlyMap<string, Span>) => Edit[],
): string | undefined {
  const result = membersOf(text)?.get("result");
  const members = result && membersOf(text, result.start);
  const edits = members && editsOf(members);
  if (edits === undefined || edits.length === 0) return undefined;
  return editText(
    text,
    edits.sort((one, other) => one.start - other.start),
  );
}

/** Gives links to pages, and pages that a result contains, the URIs that lead back to their server. */
function linkEdits(text: string, content: Span, place: ServerRef): Edit[] {
  return [...elementSpans(text, content.start)].flatMap(({ start, end }) => {
    const block = text.slice(start, end);
    if (!block.includes(UI_TRACE)) return [];
    const inner = memberText(block, "resource");
    const own = inner?.startsWith("{") ? withClientUri(inner, place) : undefined;
    const next =
      own === undefined ? withClientUri(block, place) : replaceMember(block, "resource", own);
    return next === undefined ? [] : [{ start, end, text: next }];
  });
}

/** Removes links to pages. Pages that a result contains stay: they are content. */
function removedLinks(text: string, content: Span): Edit[] {
  const blocks = [...elementSpans(text, content.start)].map((one) =>
    text.slice(one.start, one.end),
  );
  const kept = blocks.filter((block) => !isPageLink(block));
  return kept.length === blocks.length ? [] : [{ ...content, text: `[${kept.join(",")}]` }];
}

function isPageLink(block: string): boolean {
  if (!block.includes(UI_TRACE) || !block.includes("resource_link")) return false;
  const { type, uri } = JSON.parse(block) as { readonly type?: unknown; readonly uri?: unknown };
  return type === "resource_link" && typeof uri === "string" && uri.startsWith(UI_SCHEME);
}

function uriEdits(text: string, items: Span, place: ServerRef): Edit[] {
  return [...elementSpans(text, items.start)].flatMap(({ start, end }) => {
    const next = withClientUri(text.slice(start, end), place);
    return next === undefined ? [] : [{ start, end, text: next }];
  });
}

/** The object with its `uri` replaced; undefined if clients see it as it is. */
function withClientUri(object: string, place: ServerRef): string | undefined {
  const uri = clientUri(memberText(object, "uri"), place);
  return uri && replaceMember(object, "uri", uri);
}
