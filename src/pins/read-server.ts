import { ownProfile } from "../protocol/client-profile.ts";
import { RPC } from "../errors.ts";
import type { Connection } from "../servers/connection/connection.ts";
import { ownInstructions } from "../servers/handshake/server-hello.ts";
import { listAll } from "../servers/requests/list-all.ts";
import type { ListedItem } from "../servers/requests/list-reader.ts";
import { LIST_METHODS } from "../servers/server-memory.ts";
import type { Server } from "../servers/server.ts";
import { isObject } from "../text/json.ts";
import { hashOf } from "./definition-hash.ts";
import { type ObservedServer, itemsById } from "./observed-server.ts";
import { packageSource } from "./package-source.ts";

/** Starts a server, apart from all clients, and reads everything that is pinned. */
export async function readServer(server: Server): Promise<ObservedServer> {
  let observed: ObservedServer | undefined;
  const client = ownProfile();
  await server.probe(client, async (connection) => {
    if (connection.toolsProblem !== undefined) await server.whenListed(connection);
    observed = await observeServer(server, connection);
  });
  if (observed === undefined) throw new Error("it was not read");
  return observed;
}

/** Everything that a connected server defines. Rejects if one of its lists cannot be read. */
export async function observeServer(
  server: Server,
  connection: Connection,
): Promise<ObservedServer> {
  const { serverInfo } = connection.hello;
  const tools = itemsById("tools", connection.catalogue.rawTools);
  return {
    source: await packageSource(server.settings, serverInfo["version"]),
    instructions: ownInstructions(connection.hello),
    items: {
      tools,
      prompts: itemsById("prompts", await listOf(connection, "prompts")),
      resourceTemplates: itemsById(
        "resourceTemplates",
        await listOf(connection, "resourceTemplates"),
      ),
    },
    scripts: scriptsOf(connection, tools.keys()),
  };
}

/** The sources of saved scripts by their hash. */
function scriptsOf({ channel }: Connection, names: Iterable<string>): ReadonlyMap<string, string> {
  const sources = [...names].flatMap((name) => channel.sourceOf?.(name) ?? []);
  return new Map(sources.map((source) => [hashOf(source), source]));
}

async function listOf(
  connection: Connection,
  list: "prompts" | "resourceTemplates",
): Promise<readonly ListedItem[]> {
  const { method, capability } = LIST_METHODS[list];
  if (!(capability in connection.hello.capabilities)) return [];
  try {
    return await listAll(connection, method, list);
  } catch (error) {
    // Servers with resources need not have templates.
    if (isMethodMissing(error)) return [];
    throw error;
  }
}

/** Not `instanceof`: the error may come from another bundle. */
function isMethodMissing(error: unknown): boolean {
  const rpc = isObject(error) ? error["rpc"] : undefined;
  return isObject(rpc) && rpc["code"] === RPC.methodNotFound;
}
