import { type Principal, STDIO_PRINCIPAL } from "../../calls/principal.ts";
import { SOLE_OWNER } from "../../calls/tasks.ts";
import { RPC } from "../../errors.ts";
import type { SharedUse } from "../../protocol/client-profile.ts";
import {
  type IncomingNotification,
  type IncomingRequest,
  type IncomingResponse,
  type JsonObject,
  type RequestId,
  cancelledId,
  forwardedText,
} from "../../wire/messages.ts";
import type { Scope } from "../../workbench/scopes.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientOutput } from "../client-output.ts";
import { mayReceive, maySend } from "../passed-messages.ts";
import type { Surface } from "../surface/surface.ts";
import { type OnFailure, SessionAnswers } from "./session-answers.ts";
import { SessionCaller } from "./session-caller.ts";
import { SessionClient } from "./session-client.ts";
import { adopt } from "./session-methods.ts";
import { SessionProfile } from "./session-profile.ts";

const ROOTS_CHANGED = "notifications/roots/list_changed";

export interface SessionOptions {
  /** Whose tasks the client sees; set if it is one of several. */
  readonly owner?: string | undefined;
  readonly principal?: Principal | undefined;
  readonly onFailure?: OnFailure | undefined;
  /** Set for a client of a shared workbench. */
  readonly shared?: SharedUse | undefined;
  /** Begins the ids of requests that servers send to the client. */
  readonly questionIds?: string | undefined;
}

/** One legacy client: takes its messages, however they travel, to where they are handled. */
export class Session {
  /** Takes its requests. */
  readonly caller: SessionCaller;
  readonly #workbench: Workbench;
  readonly #profile: SessionProfile;
  readonly #client: SessionClient;
  readonly startedAt = performance.now();
  readonly #watcher = {
    onLearned: (): void => this.#client.surface.onLearned?.(),
    onSurfaceChanging: (): void => this.#client.surface.onSurfaceChanging(),
    onSurfaceChanged: (): void => this.#client.surface.onSurfaceChanged(),
  };

  constructor(
    workbench: Workbench,
    scope: Scope,
    surfaceOf: (client: SessionClient) => Surface,
    output: ClientOutput,
    options: SessionOptions = {},
  ) {
    const { owner = SOLE_OWNER, principal = STDIO_PRINCIPAL, onFailure } = options;
    const pipeline = workbench.pipeline.for(principal);
    const profile = new SessionProfile(options.shared);
    this.#profile = profile;
    this.#workbench = workbench;
    const client = new SessionClient({
      profile,
      principal,
      mayReceive: (server, method) => mayReceive({ principal, pipeline }, server, method),
      output,
      surfaceOf,
      questionIds: options.questionIds,
      isInCluster: workbench.host.cluster !== undefined,
      isOwnTask: (taskId, { place }) => pipeline.tasks.isVisibleTo(owner, taskId, place),
    });
    this.#client = client;
    this.caller = new SessionCaller({
      scope,
      owner,
      principal,
      pipeline,
      profile,
      client,
      output,
      answers: new SessionAnswers(output, client, onFailure),
    });
    for (const watcher of workbench.watchers) watcher.onSessionStarted?.(this);
    workbench.watchers.add(this.#watcher);
  }

  /** The version negotiated in `initialize`; undefined until then. */
  get protocolVersion(): string | undefined {
    return this.#profile.protocolVersion;
  }

  /** Takes an `initialize` that has been answered already. */
  adopt(request: IncomingRequest): JsonObject | Promise<JsonObject> {
    return adopt(this.caller, request);
  }

  notification(notification: IncomingNotification): void {
    const { method } = notification;
    const { questions, surface } = this.#client;
    if (method === "notifications/cancelled") this.#onCancelled(notification);
    else if (method === "notifications/progress") questions.progressed(notification);
    else if (method !== "notifications/initialized" && surface.forwards(method))
      this.#forward(notification);
  }

  response(response: IncomingResponse, text: string): void {
    this.#client.questions.answered(response, text);
  }

  /** The client's response must not be passed to the server that asked. */
  unusableResponse(id: RequestId, reason: string): void {
    const error = { code: RPC.internal, message: `The client's response: ${reason}` };
    this.#client.questions.refuse(id, error);
  }

  /** The client is gone: its calls are cancelled. */
  close(): void {
    this.#leave();
    this.caller.cancel(undefined, "the client disconnected");
    this.#client.close();
    const { principal, owner } = this.caller;
    this.#workbench.pipeline.results.end(principal, owner);
  }

  #leave(): void {
    const { watchers } = this.#workbench;
    watchers.delete(this.#watcher);
    for (const watcher of watchers) watcher.onSessionEnded?.(this);
  }

  #onCancelled(notification: IncomingNotification): void {
    const idText = cancelledId(notification);
    if (idText !== undefined) this.caller.cancel(idText, notification.params["reason"]);
  }

  /**
   * Changed roots, for example, concern every server in use. Modern servers do not know such
   * notifications, except for those that a client means for the only server it sees.
   */
  #forward(notification: IncomingNotification): void {
    const { connections, questions, surface } = this.#client;
    const isForModern = surface.isTransparent && notification.method !== ROOTS_CHANGED;
    for (const { connection } of connections.open)
      if (
        maySend(this.caller, connection, notification.method) &&
        (connection.hello.era === "legacy" || isForModern) &&
        questions.tasks.concerns(connection.place, notification)
      )
        connection.send(forwardedText(notification));
  }
}
