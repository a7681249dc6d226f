import type { AnsweredCall, Destination } from "../../calls/destination.ts";
import { supportsUi } from "../../protocol/ui-extension.ts";
import type { Server } from "../../servers/server.ts";
import type { ServedClient } from "../served-client.ts";
import { definitionWithoutUi } from "./ui-meta.ts";
import { unknownTool } from "../surface/unknown-tool.ts";

/** A client, as far as it has declared what it supports. */
export type DeclaringClient = AnsweredCall["caller"];

/** Whether a client shows pages of servers. */
export function hasUiSupport({ profile }: DeclaringClient): boolean {
  return profile !== undefined && supportsUi(profile.client.capabilities);
}

/** Takes a definition that a client sees; undefined if it sees definitions as they are. */
export function shownDefinition(client: DeclaringClient): ((text: string) => string) | undefined {
  return hasUiSupport(client) ? undefined : definitionWithoutUi;
}

/**
 * The destination of a call by a name that is not in the tool list of the surface: of a tool with a
 * page, or of a page for a tool of its server. Undefined if the client has no pages, or no such tool.
 */
export function uiCall(
  client: ServedClient,
  name: string,
  isUsable: (server: Server) => boolean = () => true,
): Promise<Destination | undefined> | undefined {
  return hasUiSupport(client) ? find(client, name, isUsable) : undefined;
}

async function find(
  client: ServedClient,
  name: string,
  isUsable: (server: Server) => boolean,
): Promise<Destination | undefined> {
  const { uiDestinations } = await import("./app-tools.ts");
  const found = await uiDestinations(client, name, isUsable);
  if (found.length < 2) return found[0];
  const places = found.map(({ tool: { toolbox, server } }) => `${toolbox}/${server}`);
  return unknownTool(name, () => `Several servers with pages have it: ${places.join(", ")}`);
}
