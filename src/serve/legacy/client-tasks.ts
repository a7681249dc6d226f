import { RPC } from "../../errors.ts";
import type { ServerRef } from "../../calls/identifier.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import { shownValue } from "../../text/shown-name.ts";
import { elementsOf, memberText, withMembers } from "../../wire/members.ts";
import {
  type IncomingNotification,
  type IncomingResponse,
  type RpcError,
  isObject,
} from "../../wire/messages.ts";

const MAX_TASKS = 1000;
const MAX_ID_CHARS = 1024;
const LIST = "tasks/list";

/**
 * The tasks that a client runs for servers: an elicitation or sampling request may ask for one, and
 * its result, such as what a user entered, is fetched later by id. Only the server that asked may
 * do so, or be notified about the task.
 */
export class ClientTasks {
  readonly #places = new Map<string, ServerRef>();

  /** Why a server's request must not reach the client: it is about another server's task. */
  refusalOf({ method, request, from }: ServerRequest): RpcError | undefined {
    if (!method.startsWith("tasks/") || method === LIST) return undefined;
    const { taskId } = request.params;
    if (this.#isOf(from.place, taskId)) return undefined;
    return { code: RPC.invalidParams, message: `Task ${shownValue(taskId)} not found` };
  }

  /** Records the client's response; returns it as the server may see it. */
  answered(
    { method, request, from }: ServerRequest,
    { result }: IncomingResponse,
    text: string,
  ): string {
    if (!isObject(result)) return text;
    if (method === LIST) return this.#listed(from.place, text);
    const { task } = result;
    if (isObject(request.params["task"]) && isObject(task)) this.#add(task["taskId"], from.place);
    return text;
  }

  /** Whether a server may receive this notification of the client. */
  concerns(place: ServerRef, { method, params }: IncomingNotification): boolean {
    return method !== "notifications/tasks/status" || this.#isOf(place, params["taskId"]);
  }

  #isOf({ toolbox, server }: ServerRef, id: unknown): boolean {
    const place = typeof id === "string" ? this.#places.get(id) : undefined;
    return place?.toolbox === toolbox && place.server === server;
  }

  #add(id: unknown, place: ServerRef): void {
    if (typeof id !== "string" || id.length > MAX_ID_CHARS || this.#places.has(id)) return;
    const [oldest] = this.#places.keys();
    if (this.#places.size >= MAX_TASKS && oldest !== undefined) this.#places.delete(oldest);
    this.#places.set(id, place);
  }

  #listed(place: ServerRef, text: string): string {
    const result = memberText(text, "result") ?? "{}";
    const own = (elementsOf(memberText(result, "tasks") ?? "[]") ?? []).filter((task) => {
      const { taskId } = { taskId: undefined, ...(JSON.parse(task) as object) };
      return this.#isOf(place, taskId);
    });
    return withMembers(text, { result: withMembers(result, { tasks: `[${own.join(",")}]` }) });
  }
}
