import type { JsonObject } from "../wire/messages.ts";

/** `legacy` starts with the initialize handshake; `modern` (2026-07-28) is stateless. */
export type Era = "legacy" | "modern";

/**
 * What servers learn about a client. A legacy server gets it once, in the handshake, so only
 * clients with the same profile may share a connection to it.
 */
export interface ClientProfile {
  readonly era: Era;
  readonly capabilities: JsonObject;
  readonly info: JsonObject;
  /** Equal for clients that may share a connection. */
  readonly shareKey: string;
  /** Unique for every client, for servers that must not be shared. */
  readonly ownKey: string;
}

export function clientProfile(era: Era, capabilities: JsonObject, info: JsonObject): ClientProfile {
  const shareKey = `${era} ${JSON.stringify(capabilities)}`;
  let ownKey: string | undefined;
  return {
    era,
    capabilities,
    info,
    shareKey,
    // Few servers need it, and loading `crypto` takes longer than the rest of a session's start.
    get ownKey() {
      ownKey ??= `${crypto.randomUUID()} ${shareKey}`;
      return ownKey;
    },
  };
}
