import type { Amend, AnsweredCall, CalledRoute } from "../../calls/destination.ts";
import { workbenchError } from "../../errors.ts";
import { mayMentionUi } from "../../protocol/ui-extension.ts";
import type { IncomingRequest, JsonObject, RpcError } from "../../wire/messages.ts";
import type { ServerResponse } from "../../wire/response.ts";
import { type DeclaringClient, hasUiSupport } from "./ui-client.ts";

/**
 * What clients see of pages in the responses of servers. The code that edits a response is loaded for
 * the first one that has to be edited.
 */

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

/** A task that a client is notified of. If it has ended, it contains its result. */
export function shownTask(
  client: DeclaringClient,
  task: JsonObject,
): JsonObject | Promise<JsonObject> {
  if (hasUiSupport(client) || !("result" in task)) return task;
  const text = JSON.stringify(task);
  if (!mayMentionUi((trace) => text.includes(trace))) return task;
  return import("./ui-responses.ts").then(
    ({ taskTextWithoutUi }) => JSON.parse(taskTextWithoutUi(text)) as JsonObject,
  );
}

/** Refuses a call of a tool that is only for pages, with the words of the specification for unknown ones. */
export function refuseAppTool(
  { method, plain, params }: IncomingRequest,
  { catalogue: { appTools } }: CalledRoute,
): RpcError | undefined {
  if (appTools === undefined || method !== "tools/call") return undefined;
  const name = plain?.name ?? params["name"];
  const isRefused = typeof name === "string" && appTools.tools.has(name);
  return isRefused ? workbenchError("UNKNOWN_TOOL", { name }).rpcError : undefined;
}

function mayMention(response: ServerResponse): boolean {
  return !response.isError && mayMentionUi((trace) => response.mentions(trace));
}

async function uiResult(
  response: ServerResponse,
  place: CalledRoute["place"] | undefined,
  method: string,
): Promise<ServerResponse> {
  const { uiResultFor, uiTaskFor } = await import("./ui-responses.ts");
  return (method === TASK_WITH_RESULT ? uiTaskFor : uiResultFor)(response, place);
}
