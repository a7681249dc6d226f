import type { Era } from "../../protocol/client-profile.ts";
import { SERVER_INFO_KEY } from "../../protocol/envelope.ts";
import type { ServerHello } from "../../servers/handshake/server-hello.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";

/** What a server states about itself, without the members that this era does not have. */
export function helloForEra(era: Era, { era: own, raw, capabilities }: ServerHello): JsonObject {
  const { protocolVersion: _version, supportedVersions: _versions, ...rest } = raw;
  if (own === era) return { ...rest, capabilities };
  if (era === "legacy") {
    const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, _meta: meta, ...plain } = rest;
    const { [SERVER_INFO_KEY]: _info, ...others } = isObject(meta) ? meta : {};
    return { ...plain, ...(Object.keys(others).length > 0 && { _meta: others }), capabilities };
  }
  // Tasks have another form in the modern era, which a legacy server does not know.
  const { tasks: _tasks, ...known } = capabilities;
  return { ...rest, capabilities: known };
}
