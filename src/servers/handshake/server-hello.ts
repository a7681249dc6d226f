import type { Era } from "../../protocol/client-profile.ts";
import type { JsonObject } from "../../wire/messages.ts";

/** How a server describes itself. */
export interface ServerHello {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject;
  readonly instructions: string | undefined;
  /** The whole answer, for clients that see the server itself. */
  readonly raw: JsonObject;
}

/** Before the handshake. */
export const NOT_CONNECTED: ServerHello = {
  era: "legacy",
  protocolVersion: "",
  capabilities: {},
  serverInfo: {},
  instructions: undefined,
  raw: {},
};
