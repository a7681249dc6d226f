import type { ClientProfile } from "../relay/client-profile.ts";
import { type JsonObject, isObject, notificationText } from "../wire/messages.ts";
import { ask } from "./ask.ts";
import type { Connection } from "./connection.ts";

/** What a server said about itself. */
export interface Greeting {
  readonly era: "legacy" | "modern";
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject;
  readonly instructions: string | undefined;
  /** The whole answer, for clients that see the server itself. */
  readonly raw: JsonObject;
}

export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** The initialize handshake of the legacy era. */
export async function initialize(
  connection: Connection,
  client: ClientProfile,
): Promise<Greeting> {
  const raw = await ask(connection, "initialize", {
    protocolVersion: LEGACY_VERSIONS[0],
    capabilities: client.capabilities,
    clientInfo: client.info,
  });
  const { protocolVersion, capabilities, serverInfo, instructions } = raw;
  if (!LEGACY_VERSIONS.some((version) => version === protocolVersion))
    throw new Error(`it speaks protocol version ${JSON.stringify(protocolVersion)}, which is not supported`);
  connection.send(notificationText("notifications/initialized"));
  return {
    era: "legacy",
    protocolVersion: protocolVersion as string,
    capabilities: isObject(capabilities) ? capabilities : {},
    serverInfo: isObject(serverInfo) ? serverInfo : {},
    instructions: typeof instructions === "string" ? instructions : undefined,
    raw,
  };
}
