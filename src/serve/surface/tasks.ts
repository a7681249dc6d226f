import { type Destination, answered } from "../../calls/destination.ts";
import { type Outcome, refusal, result } from "../../calls/outcome.ts";
import { SOLE_OWNER } from "../../calls/tasks.ts";
import { RPC } from "../../errors.ts";
import { listAll } from "../../servers/requests/list-all.ts";
import type { Server } from "../../servers/server.ts";
import { type IncomingRequest, isObject } from "../../wire/messages.ts";
import type { ServedClient } from "../served-client.ts";
import { methodNotFound } from "./surface.ts";

/** Requests about tasks, in the form of either era: a task is identified by its id alone. */
export function routeTask(requester: ServedClient, request: IncomingRequest): Destination {
  const { taskId } = request.params;
  if (request.method === "tasks/list" && requester.era === "legacy")
    return { answer: () => listTasks(requester) };
  const servers = requester.pipeline.tasks
    .placesOf(taskId, requester.owner)
    .flatMap(({ toolbox, server }) => requester.scope.get(toolbox)?.servers.get(server) ?? []);
  const [server] = servers;
  if (servers.length > 1) return answered(ambiguousTask(request, servers));
  if (server !== undefined) return { server, subject: String(taskId) };
  return answered(taskId === undefined ? methodNotFound(request.method) : taskNotFound(request));
}

/** Both servers use this id, and one of them may have chosen it to answer for the other. */
function ambiguousTask({ params }: IncomingRequest, servers: readonly Server[]): Outcome {
  const names = servers.map(({ place: { toolbox, server } }) => `${toolbox}/${server}`).join(", ");
  const task = JSON.stringify(params["taskId"]);
  return refusal(RPC.invalidParams, `Task ${task} exists on several servers (${names})`);
}

export function taskNotFound({ params }: IncomingRequest): Outcome {
  return refusal(RPC.invalidParams, `Task ${JSON.stringify(params["taskId"])} not found`);
}

/** The client's tasks on all servers it uses. */
async function listTasks({ open, owner, pipeline: { tasks } }: ServedClient): Promise<Outcome> {
  const listing = open.filter(({ connection }) => {
    const offered = connection.hello.capabilities["tasks"];
    return isObject(offered) && "list" in offered;
  });
  const listed = await Promise.all(
    listing.map(async ({ connection }) => {
      const items = await listAll(connection, "tasks/list", "tasks").catch(() => []);
      return items.filter(({ value: { taskId } }) => {
        // With a single client, tasks that an earlier run of the workbench started can only be its
        // own.
        if (owner === SOLE_OWNER) tasks.add(taskId, connection.place, owner);
        return tasks.owns(owner, taskId, connection.place);
      });
    }),
  );
  const texts = listed.flat().map(({ text }) => text);
  return result(`{"tasks":[${texts.join(",")}]}`);
}
