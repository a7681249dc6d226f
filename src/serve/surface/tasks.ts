import { RPC } from "../../errors.ts";
import { SOLE_OWNER, type TaskPlaces } from "../../relay/tasks.ts";
import { listAll } from "../../servers/list-all.ts";
import type { Server } from "../../servers/server.ts";
import { type IncomingRequest, isObject } from "../../wire/messages.ts";
import { forward } from "../forward.ts";
import type { Requester } from "../requester.ts";
import { answerLater, methodNotFound } from "./surface.ts";

/** Whatever is asked about tasks, in the form of either era: a task is known by its id alone. */
export function handleTask(
  tasks: TaskPlaces,
  requester: Requester,
  request: IncomingRequest,
): void {
  const { taskId } = request.params;
  if (request.method === "tasks/list" && requester.era === "legacy") {
    answerLater(requester, request, listTasks(tasks, requester, request));
    return;
  }
  const servers = tasks
    .placesOf(taskId, requester.owner)
    .flatMap(({ toolbox, server }) => requester.scope.get(toolbox)?.servers.get(server) ?? []);
  const [server] = servers;
  if (servers.length > 1) refuseAmbiguous(requester, request, servers);
  else if (server !== undefined) forward(requester, request, server, String(taskId));
  else if (taskId === undefined) methodNotFound(requester, request);
  else refuseTask(requester, request);
}

/** One of the servers may have given the id to answer in place of the other. */
function refuseAmbiguous(
  requester: Requester,
  request: IncomingRequest,
  servers: readonly Server[],
): void {
  const names = servers.map(({ place: { toolbox, server } }) => `${toolbox}/${server}`).join(", ");
  const message = `Task ${JSON.stringify(request.params["taskId"])} exists on several servers (${names})`;
  requester.refuse(request, { code: RPC.invalidParams, message });
}

/** Answers as for a task that does not exist. */
export function refuseTask(requester: Requester, request: IncomingRequest): void {
  const message = `Task ${JSON.stringify(request.params["taskId"])} not found`;
  requester.refuse(request, { code: RPC.invalidParams, message });
}

/** The client's tasks on all servers it uses. */
async function listTasks(
  tasks: TaskPlaces,
  requester: Requester,
  request: IncomingRequest,
): Promise<void> {
  const listing = requester.open.filter(({ connection }) => {
    const offered = connection.greeting.capabilities["tasks"];
    return isObject(offered) && "list" in offered;
  });
  const listed = await Promise.all(
    listing.map(async ({ connection }) => {
      const items = await listAll(connection, "tasks/list", "tasks").catch(() => []);
      const { owner } = requester;
      return items.filter(({ value: { taskId } }) => {
        // With a single client, what an earlier run of the workbench started can only be its own.
        if (owner === SOLE_OWNER) tasks.add(taskId, connection.place, owner);
        return tasks.owns(owner, taskId, connection.place);
      });
    }),
  );
  const texts = listed.flat().map(({ text }) => text);
  requester.replyText(request, `{"tasks":[${texts.join(",")}]}`);
}
