import type { ServerSettings } from "../config/types.ts";
import { NAME, VERSION } from "../version.ts";
import type { JsonObject } from "../wire/messages.ts";
import { UI_CAPABILITIES } from "./ui-extension.ts";

/** `legacy` starts with the initialize handshake; `modern` (2026-07-28) is stateless. */
export type Era = "legacy" | "modern";

/** The era a server speaks, by the client era that was tried first. */
export type Eras = ReadonlyMap<Era, Era>;

/** How a server is started for clients whose environment differs from that of the workbench. */
export interface ServerStart {
  /** Equal for clients that start it in the same way. */
  readonly key: string;
  readonly settings: ServerSettings;
}

/** What a client that shares the workbench with others has in common with them, and what not. */
export interface SharedUse {
  /** True if it uses connections together with clients that have other capabilities. */
  readonly sharesAll: boolean;
  /** How a server is started for it; undefined if like for the workbench itself. */
  startOf(server: ServerSettings): ServerStart | undefined;
}

/**
 * What servers learn about a client. A legacy server gets it once, in the handshake, so only
 * clients with the same profile may share a connection to it, unless they share everything.
 */
export interface ClientProfile {
  readonly era: Era;
  readonly capabilities: JsonObject;
  readonly info: JsonObject;
  /** Equal for clients that may share a connection. */
  readonly shareKey: string;
  /** Unique for every client, for servers that must not be shared. */
  readonly ownKey: string;
  /** Set for a client of a shared workbench. */
  readonly shared?: SharedUse | undefined;
}

export function clientProfile(
  era: Era,
  capabilities: JsonObject,
  info: JsonObject,
  shared?: SharedUse,
): ClientProfile {
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
    shared,
  };
}

/** What the workbench can pass on to clients. A client that did not declare it refuses it. */
const CAPABILITIES: JsonObject = {
  ...UI_CAPABILITIES,
  elicitation: { form: {}, url: {} },
  roots: { listChanged: true },
  sampling: { tools: {}, context: {} },
  tasks: {
    cancel: {},
    list: {},
    requests: { elicitation: { create: {} }, sampling: { createMessage: {} } },
  },
};

/** What a server learns about all clients of a shared workbench: the workbench itself. */
export function commonProfile(client: ClientProfile): ClientProfile {
  return { ...client, capabilities: CAPABILITIES, info: { name: NAME, version: VERSION } };
}

/** What a server learns about the workbench when that only reads what the server offers. */
export function ownProfile(): ClientProfile {
  return clientProfile("legacy", UI_CAPABILITIES, { name: NAME, version: VERSION });
}
