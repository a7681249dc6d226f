import { type Destination, answered } from "../../calls/destination.ts";
import { result } from "../../calls/outcome.ts";
import { neededSignIn } from "../../calls/sign-in-error.ts";
import type { ServerHello } from "../../servers/handshake/server-hello.ts";
import { LIST_METHODS, type ListName } from "../../servers/server-memory.ts";
import type { Server } from "../../servers/server.ts";
import type { JsonObject } from "../../wire/messages.ts";
import type { ServedClient } from "../served-client.ts";
import { allTexts, shownTexts, viewedHello, viewedItems } from "../apps/server-view.ts";
import { hiddenServer, seenBy } from "./seen-tools.ts";
import { helloForEra } from "./hello-for-era.ts";

/**
 * A server that waits for a sign-in, shown as it was when it was connected last. A client that sees
 * only this server stays connected, and its first call asks the user to sign in.
 */

/** What the server says about itself, for the era of the client. */
export async function shownHello(client: ServedClient, server: Server): Promise<JsonObject> {
  const hidden = hiddenServer(client, server);
  if (hidden !== undefined) throw hidden;
  const hello = await helloOrRemembered(client, server);
  const { serverInfo, protocolVersion } = hello;
  const isLegacy = client.era === "legacy" && hello.era === "legacy" && protocolVersion !== "";
  return {
    ...viewedHello(client, helloForEra(client.era, hello)),
    serverInfo,
    ...(isLegacy && { protocolVersion }),
  };
}

/** From memory, if the server needs a sign-in before it says anything. */
async function helloOrRemembered(client: ServedClient, server: Server): Promise<ServerHello> {
  try {
    return await client.helloOf(server);
  } catch (error) {
    const known = neededSignIn(error) && (await server.host.memory.load(server));
    if (known === undefined) throw error;
    const { capabilities, serverInfo, instructions } = known;
    const raw = { ...(instructions !== undefined && { instructions }) };
    // An empty version says nothing about the version that the client may use.
    return { era: client.era, protocolVersion: "", capabilities, serverInfo, instructions, raw };
  }
}

/** The list that the server showed last, if it waits for a sign-in; undefined if it can be asked. */
export function rememberedList(
  client: ServedClient,
  server: Server,
  method: string,
  onTools: (texts: readonly string[]) => void,
): Promise<Destination> | undefined {
  if (server.state !== "needs-auth" || client.connectionTo(server) !== undefined) return undefined;
  const list = method === "tools/list" ? "tools" : listOf(method);
  if (list === undefined) return undefined;
  return (async () => {
    const known = await server.host.memory.load(server);
    const all = known && allTexts(known.catalogue, (tools) => seenBy(client, server, tools));
    const tools = known && all && (await shownTexts(client, known.catalogue, all));
    const others = list === "tools" ? undefined : known?.others.get(list);
    const items = list === "tools" ? tools : others && (await viewedItems(client, list, others));
    // Its error says what to do.
    if (all === undefined || items === undefined) return { server, subject: "" };
    if (list === "tools") onTools(all);
    return answered(result(`{"${list}":[${items.join(",")}]}`));
  })();
}

function listOf(method: string): ListName | undefined {
  const lists = Object.keys(LIST_METHODS) as ListName[];
  return lists.find((list) => LIST_METHODS[list].method === method);
}
