import { type JsonObject, isObject } from "../wire/messages.ts";
import type { ClientProfile } from "./client-profile.ts";

/** The members of `_meta` that carry in every modern request what a legacy client says once. */

const PREFIX = "io.modelcontextprotocol/";
export const MODERN_VERSION = "2026-07-28";
export const VERSION_KEY = `${PREFIX}protocolVersion`;
export const CAPABILITIES_KEY = `${PREFIX}clientCapabilities`;
export const INFO_KEY = `${PREFIX}clientInfo`;
export const LOG_LEVEL_KEY = `${PREFIX}logLevel`;
export const SERVER_INFO_KEY = `${PREFIX}serverInfo`;
export const SUBSCRIPTION_KEY = `${PREFIX}subscriptionId`;

/** What to leave out of `_meta` for a server that does not know the envelope. */
export const NO_ENVELOPE = {
  [VERSION_KEY]: undefined,
  [CAPABILITIES_KEY]: undefined,
  [INFO_KEY]: undefined,
  [LOG_LEVEL_KEY]: undefined,
};

export function envelopeOf(client: ClientProfile, logLevel?: string): JsonObject {
  return {
    [VERSION_KEY]: MODERN_VERSION,
    [CAPABILITIES_KEY]: client.capabilities,
    [INFO_KEY]: client.info,
    ...(logLevel !== undefined && { [LOG_LEVEL_KEY]: logLevel }),
  };
}

/** The protocol version a request names; undefined for requests of the legacy era. */
export function modernVersionOf(params: unknown): string | undefined {
  const meta = isObject(params) ? params["_meta"] : undefined;
  const version = isObject(meta) ? meta[VERSION_KEY] : undefined;
  return typeof version === "string" ? version : undefined;
}
