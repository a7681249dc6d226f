import { RPC } from "../../errors.ts";
import { SERVER_INFO_KEY } from "../../protocol/envelope.ts";
import { NAME, VERSION } from "../../version.ts";
import { memberText, replaceMember, withMembers } from "../../wire/members.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";
import type { ServerResponse } from "../../wire/response.ts";

/**
 * Members that the modern era requires in results and a legacy server does not send: that the
 * result is complete and, if it may be cached, for how long and by whom. Lists can change at any
 * time and may depend on credentials, so nothing may be cached.
 */

const CACHEABLE = new Set([
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/directory/read",
  "skills/list",
  "skills/get",
]);

const COMPLETE = { resultType: '"complete"' };
const UNCACHED = { ...COMPLETE, ttlMs: "0", cacheScope: '"private"' };

function membersFor(method: string): Readonly<Record<string, string>> {
  return CACHEABLE.has(method) ? UNCACHED : COMPLETE;
}

const COMPLETE_TEXT = textOf(COMPLETE);
const UNCACHED_TEXT = textOf(UNCACHED);

function textOf(members: Readonly<Record<string, string>>): string {
  return Object.entries(members)
    .map(([key, value]) => `"${key}":${value},`)
    .join("");
}

/** Members, each followed by a comma, to be put at the start of a result. */
export function completeMembers(method: string): string {
  return CACHEABLE.has(method) ? UNCACHED_TEXT : COMPLETE_TEXT;
}

/**
 * The result of a legacy server that has such members itself, with those replaced, as JSON: of two
 * equal keys some clients would read the server's. Undefined for all other answers.
 */
export function replacedMembers(method: string, response: ServerResponse): string | undefined {
  const members = membersFor(method);
  const keys = Object.keys(members);
  const mayHave = ESCAPE.concat(keys).some((trace) => response.mentions(trace));
  if (response.isError || !mayHave) return undefined;
  const text = memberText(response.withId("0"), "result") ?? "{}";
  return keys.some((key) => memberText(text, key) !== undefined)
    ? withMembers(text, members)
    : undefined;
}

/** A key with escapes contains this. */
const ESCAPE: readonly string[] = [String.raw`\u00`];

/**
 * Translates a legacy server's answer that a resource does not exist into the modern form;
 * undefined for all other answers.
 */
export function missingResource(
  method: string,
  response: ServerResponse,
  idText: string,
): string | undefined {
  if (method !== "resources/read" || response.errorCode !== RPC.resourceNotFound) return undefined;
  const text = response.withId(idText);
  const error = replaceMember(memberText(text, "error") ?? "{}", "code", String(RPC.invalidParams));
  return replaceMember(text, "error", error);
}

const OUR_SERVER_INFO = { [SERVER_INFO_KEY]: { name: NAME, version: VERSION } };

/** Adds the members the modern era requires to a result; existing members are kept. */
export function completed(method: string, result: JsonObject | string): JsonObject | string {
  if (typeof result === "string") {
    const members = completeMembers(method);
    return result === "{}" ? `{${members.slice(0, -1)}}` : `{${members}${result.slice(1)}`;
  }
  return {
    resultType: "complete",
    ...(CACHEABLE.has(method) && { ttlMs: 0, cacheScope: "private" }),
    ...result,
    _meta: { ...OUR_SERVER_INFO, ...(isObject(result["_meta"]) && result["_meta"]) },
  };
}
