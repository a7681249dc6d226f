import { type JsonObject, isObject } from "../wire/messages.ts";
import type { ClientProfile } from "./client-profile.ts";

/** The members of `_meta` that contain in every request what a legacy client sends once. */

const PREFIX = "io.modelcontextprotocol/";
export const MODERN_VERSION = "2026-07-28";
export const VERSION_KEY = `${PREFIX}protocolVersion`;
export const TASKS_EXTENSION = `${PREFIX}tasks`;
export const CAPABILITIES_KEY = `${PREFIX}clientCapabilities`;
export const INFO_KEY = `${PREFIX}clientInfo`;
export const LOG_LEVEL_KEY = `${PREFIX}logLevel`;
export const SERVER_INFO_KEY = `${PREFIX}serverInfo`;
export const SUBSCRIPTION_KEY = `${PREFIX}subscriptionId`;

/** What to remove from `_meta` for a server that does not support the envelope. */
export const NO_ENVELOPE = {
  [VERSION_KEY]: undefined,
  [CAPABILITIES_KEY]: undefined,
  [INFO_KEY]: undefined,
  [LOG_LEVEL_KEY]: undefined,
};

export function envelopeOf(
  client: Pick<ClientProfile, "capabilities" | "info">,
  logLevel?: string,
): JsonObject {
  return {
    [VERSION_KEY]: MODERN_VERSION,
    [CAPABILITIES_KEY]: client.capabilities,
    [INFO_KEY]: client.info,
    ...(logLevel !== undefined && { [LOG_LEVEL_KEY]: logLevel }),
  };
}

/** The subscription that a modern server's notification belongs to; undefined for all others. */
export function subscriptionOf({ _meta: meta }: JsonObject): unknown {
  return isObject(meta) ? meta[SUBSCRIPTION_KEY] : undefined;
}

/** The parameters of a notification without its subscription id. */
export function withoutSubscription(params: JsonObject): JsonObject {
  if (subscriptionOf(params) === undefined) return params;
  const { _meta: meta, ...rest } = params;
  const { [SUBSCRIPTION_KEY]: _id, ...others } = meta as JsonObject;
  return Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest;
}

/** The protocol version in a request; undefined for requests of the legacy era. */
export function modernVersionOf(params: unknown): string | undefined {
  const meta = isObject(params) ? params["_meta"] : undefined;
  const version = isObject(meta) ? meta[VERSION_KEY] : undefined;
  return typeof version === "string" ? version : undefined;
}
