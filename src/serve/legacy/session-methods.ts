import type { ClientCall } from "../../calls/client-call.ts";
import { type Destination, answered } from "../../calls/destination.ts";
import { type Outcome, refusal, result } from "../../calls/outcome.ts";
import { RPC, workbenchError } from "../../errors.ts";
import { LOG_LEVELS, sendLogLevel } from "../../servers/connection/log-level.ts";
import type { IncomingRequest, JsonObject } from "../../wire/messages.ts";
import { uriRequired } from "../surface/resources.ts";
import type { SessionCaller } from "./session-caller.ts";
import type { SessionProfile } from "./session-profile.ts";

const EMPTY = result({});

/** Routes the requests of a legacy client: some belong to its session, all others to its surface. */
export class SessionMethods {
  readonly #caller: SessionCaller;
  readonly #profile: SessionProfile;

  constructor(caller: SessionCaller, profile: SessionProfile) {
    this.#caller = caller;
    this.#profile = profile;
  }

  readonly route = ({ request }: ClientCall): Destination | Promise<Destination> => {
    const { method } = request;
    const { surface } = this.#caller.client;
    const { isInitialized } = this.#profile;
    if (isInitialized && method === "tools/call") return surface.route(this.#caller, request);
    if (method === "initialize") return { answer: () => this.#initialize(request) };
    if (method === "ping") return answered(EMPTY);
    if (!isInitialized) {
      const message = `Not initialized: send initialize before ${method}`;
      return answered(refusal(RPC.invalidRequest, message));
    }
    if (method === "logging/setLevel") return { answer: () => this.#setLevel(request) };
    if (method === "resources/subscribe" || method === "resources/unsubscribe")
      return this.#subscribe(request);
    return surface.route(this.#caller, request);
  };

  /** Takes the client's statements from `initialize`; returns the surface's part of the answer. */
  adopt(request: IncomingRequest): JsonObject | Promise<JsonObject> {
    this.#profile.initialize(request);
    return this.#caller.client.surface.hello(this.#caller);
  }

  async #initialize(request: IncomingRequest): Promise<Outcome> {
    const { protocolVersion } = request.params;
    if (this.#profile.isInitialized) return refusal(RPC.invalidRequest, "Already initialized");
    if (typeof protocolVersion !== "string") {
      const reason = "protocolVersion: Required (expected string)";
      throw workbenchError("INVALID_PARAMETERS", { reason });
    }
    try {
      const { protocolVersion: spoken, ...hello } = await this.adopt(request);
      if (typeof spoken === "string") this.#profile.limitVersion(spoken);
      return result({ protocolVersion: this.#profile.protocolVersion, ...hello });
    } catch (error) {
      // The client may try again when its server can be reached.
      this.#profile.revoke();
      throw error;
    }
  }

  #setLevel(request: IncomingRequest): Outcome {
    const { level } = request.params;
    if (typeof level !== "string" || !LOG_LEVELS.includes(level)) {
      const message = `Invalid parameters: level: Expected one of ${LOG_LEVELS.join(", ")}`;
      return refusal(RPC.invalidParams, message);
    }
    this.#profile.logLevel = level;
    // The client does not wait for its servers: one of them may never answer.
    for (const { connection } of this.#caller.open) void sendLogLevel(connection);
    return EMPTY;
  }

  async #subscribe({ method, params }: IncomingRequest): Promise<Destination> {
    const { surface, subscriptions } = this.#caller.client;
    const clientUri = params["uri"];
    if (typeof clientUri !== "string") return answered(uriRequired());
    const address = await surface.findResource(this.#caller, clientUri);
    if ("code" in address) return answered({ kind: "refusal", error: address });
    const { server, uri } = address;
    const connection = await this.#caller.connect(server);
    const isDone =
      method === "resources/subscribe"
        ? subscriptions.add(clientUri, server, uri, connection)
        : subscriptions.remove(clientUri, uri, connection);
    if (isDone) return answered(EMPTY);
    return { server, subject: clientUri, changes: { uri: JSON.stringify(uri) } };
  }
}
