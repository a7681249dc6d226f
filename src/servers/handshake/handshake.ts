import type { Protocol } from "../../config/types.ts";
import { RPC, type WorkbenchError, isWorkbenchError } from "../../errors.ts";
import type { ClientProfile, Era } from "../../protocol/client-profile.ts";
import { MODERN_VERSION, SERVER_INFO_KEY, envelopeOf } from "../../protocol/envelope.ts";
import { LEGACY_VERSIONS } from "../../protocol/versions.ts";
import { type JsonObject, isObject, notificationText } from "../../wire/messages.ts";
import { ServerRpcError, ask } from "../requests/ask.ts";
import type { DeliveryFailure } from "../../calls/call-errors.ts";
import type { Connection } from "../connection/connection.ts";
import type { ServerHello } from "./server-hello.ts";
import { atMost } from "../deadline.ts";
import { ServerProblem } from "../server-problem.ts";

/**
 * Finds out which era a server speaks, and does the handshake.
 *
 * The era of the client is tried first: a server that supports both then uses the client's era, and
 * a legacy server never receives an unknown request before `initialize`. A legacy server that
 * receives `server/discover` from a modern client refuses it, ignores it or exits; each costs only
 * a moment, and the result is remembered.
 */

/** How long to wait for an answer to `server/discover` before `initialize` is tried as well. */
const DISCOVER_PATIENCE_MS = 1500;
/**
 * How long to wait for an answer to `initialize` before `server/discover` is tried as well. Nearly
 * all servers support `initialize`, and many take seconds to start, so this is much longer.
 */
const INITIALIZE_PATIENCE_MS = 8000;

/**
 * A slow modern server has received both handshakes. It may take the second one for a change of
 * era, so it has to be restarted and gets only one.
 */
export class AmbiguousHandshake extends Error {
  constructor() {
    super("it received the handshakes of both eras");
  }
}

export async function negotiate(
  connection: Connection,
  client: ClientProfile,
  protocol: Protocol,
  known: Era | undefined,
): Promise<ServerHello> {
  if (protocol === MODERN_VERSION) return discover(connection, client);
  if (protocol !== "auto" || known === "legacy") return initialize(connection, client);
  if (known === "modern") return discover(connection, client);
  return client.era === "modern"
    ? modernFirst(connection, client)
    : legacyFirst(connection, client);
}

async function legacyFirst(connection: Connection, client: ClientProfile): Promise<ServerHello> {
  const asking = new AbortController();
  const initialized = initialize(connection, client, asking.signal);
  const answered = initialized.then(() => false, isRefusal);
  // Over HTTP there is always a response, if only to say that a request was not understood.
  const refused = connection.channel.refusesUnknown
    ? await answered
    : await atMost(INITIALIZE_PATIENCE_MS, answered);
  if (refused === false) return initialized;
  // The server refused, or is silent: it may accept the other era. A server that is only slow
  // answers the first request.
  const discovered = discover(connection, client, asking.signal);
  return Promise.any([initialized, discovered])
    .catch(() => initialized)
    .finally(() => asking.abort("the server speaks the other protocol"));
}

async function modernFirst(connection: Connection, client: ClientProfile): Promise<ServerHello> {
  if (connection.channel.refusesUnknown) return modernThenLegacy(connection, client);
  const probe = new AbortController();
  const discovered = discover(connection, client, probe.signal);
  const refused = await atMost(
    DISCOVER_PATIENCE_MS,
    discovered.then(() => false, isRefusal),
  );
  if (refused === false) return discovered;
  const initialized = initialize(connection, client);
  if (refused === true) return initialized;
  // No answer: the server is slow, or does not answer unknown requests.
  let refusedOlder = false;
  const legacy = initialized.catch((error: unknown) => {
    refusedOlder = isRefusal(error);
    return discovered;
  });
  const modern = discovered.then(
    (hello) => {
      if (!refusedOlder) throw new AmbiguousHandshake();
      return hello;
    },
    () => initialized,
  );
  try {
    return await Promise.race([modern, legacy]);
  } finally {
    probe.abort("the server speaks the older protocol");
  }
}

/** True for a response that refuses the request; any other failure is thrown. */
function isRefusal(error: unknown): true {
  if (isWorkbenchError(error)) throw error;
  return true;
}

/** Over HTTP a refusal reveals the era: only a modern server refuses with a modern error. */
async function modernThenLegacy(
  connection: Connection,
  client: ClientProfile,
): Promise<ServerHello> {
  try {
    return await discover(connection, client);
  } catch (error) {
    if (isWorkbenchError(error) ? !wasNotUnderstood(error) : isModernRefusal(error)) throw error;
    return initialize(connection, client);
  }
}

/** Whether a server that refused a version lists this one as supported. */
function speaks(version: string, error: unknown): boolean {
  if (!(error instanceof ServerRpcError) || error.rpc.code !== RPC.unsupportedVersion) return false;
  const { data } = error.rpc;
  const supported = isObject(data) ? data["supported"] : undefined;
  return Array.isArray(supported) && supported.includes(version);
}

function isModernRefusal(error: unknown): boolean {
  if (!(error instanceof ServerRpcError)) return false;
  const { code } = error.rpc;
  return code === RPC.headerMismatch || code === RPC.missingCapability;
}

function wasNotUnderstood({ cause }: WorkbenchError): boolean {
  return NOT_UNDERSTOOD.has((cause as Partial<DeliveryFailure> | undefined)?.code ?? "");
}

const NOT_UNDERSTOOD: ReadonlySet<string> = new Set([
  "badRequest",
  "notFound",
  "notAllowed",
  "badStatus",
]);

async function initialize(
  connection: Connection,
  client: ClientProfile,
  signal?: AbortSignal,
): Promise<ServerHello> {
  const params = {
    protocolVersion: LEGACY_VERSIONS[0],
    capabilities: connection.mayAsk === "off" ? unasked(client) : client.capabilities,
    clientInfo: client.info,
  };
  return onInitialized(connection, await request(connection, "initialize", params, signal));
}

/** The handshake has a time limit as a whole, so its requests need none. */
function request(
  connection: Connection,
  method: string,
  params: JsonObject,
  signal: AbortSignal | undefined,
): Promise<JsonObject> {
  return ask(connection, method, params, { signal, hasTimeLimit: false });
}

/** A server that must not ask should not rely on it. */
function unasked({ capabilities }: ClientProfile): JsonObject {
  const { elicitation: _elicitation, sampling: _sampling, ...others } = capabilities;
  return others;
}

function onInitialized(connection: Connection, raw: JsonObject): ServerHello {
  const { protocolVersion, serverInfo } = raw;
  if (!LEGACY_VERSIONS.some((version) => version === protocolVersion))
    throw new ServerProblem(
      "unsupportedVersion",
      `it speaks protocol version ${JSON.stringify(protocolVersion)}, which is not supported`,
    );
  connection.channel.onNegotiated("legacy", protocolVersion as string);
  connection.send(notificationText("notifications/initialized"));
  return helloFrom("legacy", protocolVersion as string, serverInfo, raw);
}

async function discover(
  connection: Connection,
  client: ClientProfile,
  signal?: AbortSignal,
): Promise<ServerHello> {
  const envelope = envelopeOf({ ...client, capabilities: {} });
  const question = (): Promise<JsonObject> =>
    request(connection, "server/discover", { _meta: envelope }, signal);
  const raw = await question().catch((error: unknown) => {
    // A server that refuses a version but lists it as supported is asked once more.
    if (!speaks(MODERN_VERSION, error)) throw error;
    return question();
  });
  const { supportedVersions, _meta: meta } = raw;
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(MODERN_VERSION))
    throw new ServerProblem(
      "unsupportedVersion",
      `it does not speak protocol version ${MODERN_VERSION}`,
    );
  connection.envelope = envelope;
  connection.channel.onNegotiated("modern", MODERN_VERSION);
  const info = isObject(meta) ? meta[SERVER_INFO_KEY] : undefined;
  return helloFrom("modern", MODERN_VERSION, info, raw);
}

function helloFrom(era: Era, protocolVersion: string, info: unknown, raw: JsonObject): ServerHello {
  const { capabilities, instructions } = raw;
  return {
    era,
    protocolVersion,
    capabilities: isObject(capabilities) ? capabilities : {},
    serverInfo: isObject(info) ? info : {},
    instructions: typeof instructions === "string" ? instructions : undefined,
    raw,
  };
}
