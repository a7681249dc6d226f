import type { JsonObject } from "../wire/messages.ts";

/**
 * What servers are told about the client. A legacy server hears it once, when it is connected, so
 * a connection may only be shared by clients with the same profile.
 */
export interface ClientProfile {
  /** Equal for clients that may share a connection. */
  readonly key: string;
  readonly capabilities: JsonObject;
  readonly info: JsonObject;
}
