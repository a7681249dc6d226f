import { type Destination, answered } from "../../calls/destination.ts";
import { type Outcome, refusal } from "../../calls/outcome.ts";
import { SOLE_OWNER } from "../../calls/tasks.ts";
import { RPC } from "../../errors.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import { listAll } from "../../servers/requests/list-all.ts";
import type { Server } from "../../servers/server.ts";
import { CAPABILITIES_KEY, TASKS_EXTENSION } from "../../protocol/envelope.ts";
import { shownValue } from "../../text/shown-name.ts";
import { type IncomingRequest, type JsonObject, isObject } from "../../wire/messages.ts";
import { gather } from "../../workbench/gather.ts";
import type { ServedClient } from "../served-client.ts";
import { amendUiResult } from "../apps/amend-ui.ts";
import { listResult } from "./list-result.ts";
import { methodNotFound } from "./surface.ts";

/** Requests about tasks, in the form of either era: a task is known by its id alone. */
export function routeTask(client: ServedClient, request: IncomingRequest): Destination {
  const { taskId } = request.params;
  if (request.method === "tasks/list" && client.era === "legacy")
    return { answer: () => listTasks(client) };
  const servers = client.pipeline.tasks
    .placesOf(taskId, client.owner)
    .flatMap(({ toolbox, server }) => client.scope.get(toolbox)?.servers.get(server) ?? []);
  const [server] = servers;
  if (servers.length > 1) return answered(ambiguousTask(request, servers));
  if (server !== undefined) return { server, subject: String(taskId), amend: amendUiResult };
  return answered(taskId === undefined ? methodNotFound(request.method) : taskNotFound(request));
}

/** Both servers use this id, and one of them may have chosen it to answer for the other. */
function ambiguousTask({ params }: IncomingRequest, servers: readonly Server[]): Outcome {
  const names = servers.map(({ place: { toolbox, server } }) => `${toolbox}/${server}`).join(", ");
  const task = shownValue(params["taskId"]);
  return refusal(RPC.invalidParams, `Task ${task} exists on several servers (${names})`);
}

function taskNotFound({ params }: IncomingRequest): Outcome {
  return refusal(RPC.invalidParams, `Task ${shownValue(params["taskId"])} not found`);
}

/** The client's tasks on all servers it uses. */
async function listTasks(client: ServedClient): Promise<Outcome> {
  const { owner, pipeline } = client;
  const connections = new Map(client.open.map(({ server, connection }) => [server, connection]));
  const { found, missing } = await gather([...connections.keys()], async (server) => {
    const connection = connections.get(server);
    if (connection === undefined || !listsTasks(connection)) return undefined;
    const items = await listAll(connection, "tasks/list", "tasks");
    return items.filter(({ value: { taskId } }) => {
      // With a single client, what an earlier run of the workbench started can only be its own.
      if (owner === SOLE_OWNER) pipeline.tasks.add(taskId, connection.place, owner);
      return pipeline.tasks.owns(owner, taskId, connection.place);
    });
  });
  const texts = found.flatMap(({ value }) => value.map(({ text }) => text));
  return listResult("tasks", texts, missing);
}

function listsTasks({ hello }: Connection): boolean {
  const offered = hello.capabilities["tasks"];
  return isObject(offered) && "list" in offered;
}

/**
 * Other clients share the server, and each may see its own tasks only. The server is asked for no
 * others, so that those of other clients cannot be distinguished from missing ones.
 */
export function hideTasksOfOthers(
  client: ServedClient,
  request: IncomingRequest,
  server: Server,
): Destination | undefined {
  if (request.plain !== undefined || client.owner === SOLE_OWNER) return undefined;
  const { method, params } = request;
  const { owner, pipeline } = client;
  const { taskId } = params;
  const isAboutTask = method.startsWith("tasks/");
  // The server would answer a request without an id, such as one for a list, for all clients.
  if (isAboutTask && taskId === undefined) return routeTask(client, request);
  const isHidden = isAboutTask
    ? !pipeline.tasks.owns(owner, taskId, server.place)
    : pipeline.tasks.isOfAnother(owner, taskId, server.place);
  if (!isHidden) return undefined;
  const isSupported = MODERN_METHODS.has(method) && declaresTasks(params);
  if (client.era === "legacy" || isSupported) return answered(taskNotFound(request));
  // A modern server refuses the method or the client, whatever the task is; it gets no real id.
  return { server, subject: "", changes: { taskId: JSON.stringify(crypto.randomUUID()) } };
}

const MODERN_METHODS: ReadonlySet<string> = new Set(["tasks/get", "tasks/update", "tasks/cancel"]);

function declaresTasks({ _meta: meta }: JsonObject): boolean {
  const capabilities = isObject(meta) ? meta[CAPABILITIES_KEY] : undefined;
  const extensions = isObject(capabilities) ? capabilities["extensions"] : undefined;
  return isObject(extensions) && TASKS_EXTENSION in extensions;
}
