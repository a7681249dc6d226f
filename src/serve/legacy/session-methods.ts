import { type Destination, answered } from "../../calls/destination.ts";
import { type Outcome, refusal, result } from "../../calls/outcome.ts";
import { RPC, workbenchError } from "../../errors.ts";
import { LOG_LEVELS, sendLogLevel } from "../../servers/connection/log-level.ts";
import type { IncomingRequest, JsonObject } from "../../wire/messages.ts";
import type { ServedClient } from "../served-client.ts";
import { uriRequired } from "../surface/resources.ts";
import type { SessionClient } from "./session-client.ts";
import type { SessionProfile } from "./session-profile.ts";

/** A legacy client, as the methods of its session see it. */
export interface LegacyClient extends ServedClient {
  readonly client: SessionClient;
  readonly profile: SessionProfile;
}

type SessionMethod = (
  client: LegacyClient,
  request: IncomingRequest,
) => Destination | Promise<Destination>;

const EMPTY = result({});

/** The methods that belong to a session; all others belong to its surface. */
export const SESSION_METHODS: ReadonlyMap<string, SessionMethod> = new Map<string, SessionMethod>([
  ["initialize", (client, request) => ({ answer: () => initialize(client, request) })],
  ["ping", () => answered(EMPTY)],
  ["logging/setLevel", (client, request) => ({ answer: () => setLevel(client, request) })],
  ["resources/subscribe", subscribe],
  ["resources/unsubscribe", subscribe],
]);

/** The methods that a client may use before it is initialized. */
export const FIRST_METHODS: ReadonlySet<string> = new Set(["initialize", "ping"]);

export function notInitialized(method: string): Destination {
  const message = `Not initialized: send initialize before ${method}`;
  return answered(refusal(RPC.invalidRequest, message));
}

/** Takes the client's statements from `initialize`; returns the surface's part of the answer. */
export function adopt(
  client: LegacyClient,
  request: IncomingRequest,
): JsonObject | Promise<JsonObject> {
  client.profile.initialize(request);
  return client.client.surface.hello(client);
}

async function initialize(client: LegacyClient, request: IncomingRequest): Promise<Outcome> {
  const { profile } = client;
  if (profile.protocolVersion !== undefined)
    return refusal(RPC.invalidRequest, "Already initialized");
  if (typeof request.params["protocolVersion"] !== "string") {
    const reason = "protocolVersion: Required (expected string)";
    throw workbenchError("INVALID_PARAMETERS", { reason });
  }
  try {
    const hello = await adopt(client, request);
    return result({ protocolVersion: profile.protocolVersion, ...hello });
  } catch (error) {
    // The client may try again when its server can be reached.
    profile.revoke();
    throw error;
  }
}

function setLevel({ profile, open }: LegacyClient, { params }: IncomingRequest): Outcome {
  const { level } = params;
  if (typeof level !== "string" || !LOG_LEVELS.includes(level)) {
    const message = `Invalid parameters: level: Expected one of ${LOG_LEVELS.join(", ")}`;
    return refusal(RPC.invalidParams, message);
  }
  profile.setLogLevel(level);
  // The client does not wait for its servers: one of them may never answer.
  for (const { connection } of open) void sendLogLevel(connection);
  return EMPTY;
}

async function subscribe(
  client: LegacyClient,
  { method, params }: IncomingRequest,
): Promise<Destination> {
  const { surface, subscriptions } = client.client;
  const clientUri = params["uri"];
  if (typeof clientUri !== "string") return answered(uriRequired());
  const address = await surface.findResource(client, clientUri);
  if ("code" in address) return answered({ kind: "refusal", error: address });
  const { server, uri } = address;
  const connection = await client.connect(server);
  const isDone =
    method === "resources/subscribe"
      ? subscriptions.add(clientUri, server, uri, connection)
      : subscriptions.remove(clientUri, uri, connection);
  if (isDone) return answered(EMPTY);
  return { server, subject: clientUri, changes: { uri: JSON.stringify(uri) } };
}
