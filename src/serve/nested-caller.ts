import type { Call, ClientCall } from "../calls/call.ts";
import type { Outcome } from "../calls/outcome.ts";
import type { ServerRequest } from "../calls/server-request.ts";
import { CAPABILITIES_KEY, TASKS_EXTENSION, envelopeOf } from "../protocol/envelope.ts";
import type { Connection } from "../servers/connection/connection.ts";
import type { Server } from "../servers/server.ts";
import { type IncomingNotification, type JsonObject, isObject } from "../wire/messages.ts";
import type { ServedClient } from "./served-client.ts";

export interface NestedCallerOptions {
  readonly client: ServedClient;
  /** The call that makes further calls. */
  readonly parent: ClientCall;
  readonly onSettled: (call: ClientCall, outcome: Outcome) => void;
  /** The client is asked something, or has answered. */
  readonly onQuestion: (isOpen: boolean) => void;
}

/**
 * A client as the calls see it that one of its calls makes. They have its rights and its
 * connections. What servers ask goes to the client, as part of the call that it made itself.
 */
export class NestedCaller implements ServedClient {
  readonly era: ServedClient["era"];
  readonly scope: ServedClient["scope"];
  readonly owner: ServedClient["owner"];
  readonly principal: ServedClient["principal"];
  readonly pipeline: ServedClient["pipeline"];
  readonly client: object | undefined;
  readonly envelope: JsonObject | undefined;
  readonly profile?: NonNullable<ServedClient["profile"]>;
  readonly #options: NestedCallerOptions;

  constructor(options: NestedCallerOptions) {
    const { client } = options;
    this.#options = options;
    this.era = client.era;
    this.scope = client.scope;
    this.owner = client.owner;
    this.principal = client.principal;
    this.pipeline = client.pipeline;
    this.client = client.client;
    this.envelope = envelopeFor(client);
    if (client.profile !== undefined) this.profile = client.profile;
  }

  get open(): ServedClient["open"] {
    return this.#options.client.open;
  }

  connectionTo(server: Server): Connection | undefined {
    return this.#options.client.connectionTo(server);
  }

  connect(server: Server): Promise<Connection> {
    return this.#options.client.connect(server);
  }

  awaitConnection(server: Server): Promise<Connection> {
    return this.#options.client.awaitConnection(server);
  }

  helloOf(server: Server): ReturnType<ServedClient["helloOf"]> {
    return this.#options.client.helloOf(server);
  }

  onSettled(call: ClientCall, outcome: Outcome): void {
    this.#options.onSettled(call, outcome);
  }

  onProgress(): void {
    // The client gets the progress of its own call: how many calls it has made.
  }

  onCallNotification(_call: Call, notification: IncomingNotification): void {
    const { client, parent } = this.#options;
    client.onCallNotification?.(parent, notification);
  }

  onNotificationDuringCall(call: Call, notification: IncomingNotification): void {
    this.#options.client.onNotificationDuringCall?.(call, notification);
  }

  onServerRequest(serverRequest: ServerRequest, call: Call | undefined): void {
    const { client, parent, onQuestion } = this.#options;
    const { settled } = serverRequest;
    onQuestion(true);
    serverRequest.settled = (answer) => {
      onQuestion(false);
      settled?.(answer);
    };
    client.onServerRequest(serverRequest, call && parent);
  }
}

/**
 * The envelope for modern servers. A task would outlive the call that waits for its result, so
 * servers are not offered to start one.
 */
function envelopeFor(client: ServedClient): JsonObject | undefined {
  const { capabilities: declared, info = {} } = client.profile?.client ?? {};
  const given = client.envelope ?? (declared && envelopeOf({ capabilities: declared, info }));
  const capabilities = given?.[CAPABILITIES_KEY];
  if (!isObject(capabilities) || !isObject(capabilities["extensions"])) return given;
  const { [TASKS_EXTENSION]: _tasks, ...extensions } = capabilities["extensions"];
  return { ...given, [CAPABILITIES_KEY]: { ...capabilities, extensions } };
}
