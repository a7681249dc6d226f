import type { Amend, AnsweredCall, CalledRoute } from "../../calls/destination.ts";
import { type WorkbenchError, workbenchError } from "../../errors.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import type { ServerResponse } from "../../wire/response.ts";
import { hasUiSupport } from "./ui-client.ts";

/**
 * What clients see of pages in the responses of servers. The code that edits a response is loaded for
 * the first one that has to be edited.
 */

/** Every mention of a page begins like this: a key or a URI. */
const TRACE = '"ui';

/** Results of tools and tasks of servers with pages, for clients that see several servers. */
export const amendUiResult: Amend = (response, { method, route, caller }) => {
  if (!hasToolResult(method) || !mayMention(response)) return undefined;
  return uiResult(response, hasUiSupport(caller) ? route?.place : undefined, method);
};

/** A modern task that has ended contains its result; a legacy client asks for it. */
const TASK_WITH_RESULT = "tasks/get";
const WITH_RESULTS: ReadonlySet<string> = new Set(["tools/call", "tasks/result", TASK_WITH_RESULT]);

function hasToolResult(method: string): boolean {
  return WITH_RESULTS.has(method);
}

/** The contents of a resource that has kept its scheme. */
export const amendContents: Amend = (response, { route }) => {
  if (route === undefined || response.isError) return undefined;
  return import("./ui-responses.ts").then(({ contentsFor }) => contentsFor(response, route.place));
};

const LISTS: Readonly<Record<string, string>> = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
};

/** Lists and results, for a client that sees one server as it is and does not support pages. */
export const removeUi: Amend = (response, { method }: AnsweredCall) => {
  const list = LISTS[method];
  if ((list === undefined && !hasToolResult(method)) || !mayMention(response)) return undefined;
  if (list === undefined) return uiResult(response, undefined, method);
  return import("./ui-responses.ts").then(({ listWithoutUi }) => listWithoutUi(response, list));
};

/** Refuses a call of a tool that is only for pages. */
export function refuseAppTool(
  { method, plain, params }: IncomingRequest,
  { catalogue: { appTools }, place }: CalledRoute,
): WorkbenchError | undefined {
  if (appTools === undefined || method !== "tools/call") return undefined;
  const name = plain?.name ?? params["name"];
  const isRefused = typeof name === "string" && appTools.tools.has(name);
  return isRefused ? workbenchError("TOOL_NOT_FOUND", { ...place, name }) : undefined;
}

function mayMention(response: ServerResponse): boolean {
  return !response.isError && response.mentions(TRACE);
}

async function uiResult(
  response: ServerResponse,
  place: CalledRoute["place"] | undefined,
  method: string,
): Promise<ServerResponse> {
  const { uiResultFor, uiTaskFor } = await import("./ui-responses.ts");
  return (method === TASK_WITH_RESULT ? uiTaskFor : uiResultFor)(response, place);
}
