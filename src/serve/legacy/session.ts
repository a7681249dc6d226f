import { ClientCall, type Pipeline } from "../../calls/client-call.ts";
import { type Destination, answered } from "../../calls/destination.ts";
import { dispatch } from "../../calls/dispatch.ts";
import { type Outcome, refusal, result } from "../../calls/outcome.ts";
import { type Principal, STDIO_PRINCIPAL } from "../../calls/principal.ts";
import { cancel } from "../../calls/settle.ts";
import { RPC, workbenchError } from "../../errors.ts";
import { type ClientProfile, clientProfile } from "../../protocol/client-profile.ts";
import { envelopeOf } from "../../protocol/envelope.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import { SOLE_OWNER } from "../../calls/tasks.ts";
import { legacyVersionFor } from "../../protocol/versions.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import { LOG_LEVELS, reaches, sendLogLevel } from "../../servers/connection/log-level.ts";
import type { ServerClient } from "../../servers/connection/server-client.ts";
import type { Server } from "../../servers/server.ts";
import {
  type IncomingNotification,
  type IncomingRequest,
  type IncomingResponse,
  type JsonObject,
  type RequestId,
  errorText,
  forwardedText,
  isObject,
  notificationText,
  progressText,
  resultText,
} from "../../wire/messages.ts";
import type { ServerResponse } from "../../wire/response.ts";
import type { Toolbox } from "../../toolboxes/toolbox.ts";
import type { Scope } from "../../workbench/scopes.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientOutput } from "../client-output.ts";
import { ClientConnections } from "./client-connections.ts";
import type { ServedClient } from "../served-client.ts";
import { uriRequired } from "../surface/resources.ts";
import { NotificationThrottle } from "../notification-throttle.ts";
import { ownAnswer } from "../own-answer.ts";
import { prepareQuestion, responseWithOrigin, shownResponse } from "../server-requests.ts";
import { SessionElicitations } from "./session-elicitations.ts";
import { SessionQuestions } from "./session-questions.ts";
import { SessionSubscriptions } from "./session-subscriptions.ts";
import type { Surface } from "../surface/surface.ts";

const ROOTS_CHANGED = "notifications/roots/list_changed";
const NOTHING = result({});
const UNKNOWN_CLIENT = clientProfile("legacy", {}, { name: "unknown", version: "0" });

export interface SessionOptions {
  /** The owner of the tasks the client sees; set if it is one of several clients. */
  readonly owner?: string | undefined;
  readonly principal?: Principal | undefined;
}

/**
 * One client of the legacy era: what it declared in `initialize`, its calls in flight, the requests
 * it has been sent, and its subscriptions. Independent of the transport.
 */
export class Session implements ServedClient, ServerClient {
  readonly era = "legacy";
  readonly scope: Scope;
  readonly owner: string;
  readonly principal: Principal;
  readonly pipeline: Pipeline;
  logLevel: string | undefined;
  /** The result of `initialize`; undefined until then. */
  protocolVersion: string | undefined;
  readonly #workbench: Workbench;
  readonly #surface: Surface;
  readonly #output: ClientOutput;
  readonly #links = new ClientConnections(this);
  readonly #calls = new Map<string, ClientCall>();
  readonly #questions: SessionQuestions;
  readonly #elicitations = new SessionElicitations();
  readonly #subscriptions: SessionSubscriptions;
  /** The servers the client has used before. */
  readonly #met = new WeakSet<Server>();
  readonly #news: NotificationThrottle;
  #profile: ClientProfile = UNKNOWN_CLIENT;
  #envelope: JsonObject | undefined;
  #initialized = false;

  constructor(
    workbench: Workbench,
    scope: Scope,
    surfaceOf: (session: Session) => Surface,
    output: ClientOutput,
    { owner = SOLE_OWNER, principal = STDIO_PRINCIPAL }: SessionOptions = {},
  ) {
    this.#workbench = workbench;
    this.scope = scope;
    this.owner = owner;
    this.principal = principal;
    this.pipeline = workbench.pipeline;
    this.#output = output;
    this.#questions = new SessionQuestions(output);
    this.#news = new NotificationThrottle((notification) => this.#handOn(notification));
    this.#subscriptions = new SessionSubscriptions(this, (params) =>
      this.notify("notifications/resources/updated", params),
    );
    this.#surface = surfaceOf(this);
    workbench.watchers.add(this.#watcher);
  }

  get envelope(): JsonObject {
    this.#envelope ??= envelopeOf(this.#profile, this.logLevel);
    return this.#envelope;
  }

  get open(): { server: Server; connection: Connection }[] {
    return this.#links.open;
  }

  connectionTo(server: Server): Connection | undefined {
    return this.#links.get(server);
  }

  connect(server: Server): Promise<Connection> {
    return this.#links.connect(server, this.#profile, (connection) =>
      this.#fresh(server, connection),
    );
  }

  /** Releases the servers of a toolbox. */
  async release(toolbox: Toolbox): Promise<void> {
    await Promise.all(Array.from(toolbox.servers.values(), (server) => this.#links.drop(server)));
  }

  /** Takes the client's declarations from `initialize`; returns the result for it. */
  adopt(request: IncomingRequest): JsonObject | Promise<JsonObject> {
    const { protocolVersion, capabilities, clientInfo } = request.params;
    const told = isObject(capabilities) ? capabilities : {};
    const info = isObject(clientInfo) ? clientInfo : UNKNOWN_CLIENT.info;
    this.#profile = clientProfile("legacy", told, info);
    this.protocolVersion = legacyVersionFor(String(protocolVersion));
    this.#initialized = true;
    return this.#surface.hello(this);
  }

  request(request: IncomingRequest): void {
    const { idText } = request;
    if (this.#calls.has(idText)) {
      const message = "Invalid request: this id is still in use";
      this.#output.reply(idText, errorText(idText, { code: RPC.invalidRequest, message }));
      return;
    }
    const call = new ClientCall(this, request);
    this.#calls.set(idText, call);
    dispatch(call, this.#route);
  }

  notification(notification: IncomingNotification): void {
    const { method, params } = notification;
    if (method === "notifications/cancelled") this.#cancelled(params);
    else if (method === "notifications/progress") this.#questions.progressed(params);
    else if (method !== "notifications/initialized" && this.#surface.forwards(method))
      // Changed roots and other notifications concern every server in use. Modern servers do not
      // know them, except in the transparent view of a single server.
      for (const { connection } of this.#links.open)
        if (
          (connection.era === "legacy" ||
            (this.#surface.isTransparent && method !== ROOTS_CHANGED)) &&
          this.#questions.tasks.concerns(connection.place, notification)
        )
          connection.send(forwardedText(notification));
  }

  response(response: IncomingResponse, text: string): void {
    this.#questions.answered(response, text);
  }

  /** The client answered a request in a way that the server must not see. */
  unusableResponse(id: RequestId, reason: string): void {
    this.#questions.refuse(id, { code: RPC.internal, message: `The client's response: ${reason}` });
  }

  readonly #watcher = {
    onSurfaceChanging: (): void => this.#surface.onSurfaceChanging(),
    onSurfaceChanged: (): void => this.#surface.onSurfaceChanged(),
  };

  /** The client is gone: its calls are cancelled and it gets nothing more. */
  close(): void {
    this.#workbench.watchers.delete(this.#watcher);
    for (const call of this.#calls.values()) cancel(call, "the client disconnected");
    this.#questions.close();
    this.#subscriptions.close();
    this.#news.close();
    this.#links.release();
  }

  notify(method: string, params?: JsonObject, about?: string): void {
    if (this.#initialized) this.#output.send(notificationText(method, params), about);
  }

  onSettled(call: ClientCall, outcome: Outcome): void {
    const { idText } = call.request;
    this.#calls.delete(idText);
    if (outcome.kind === "response") {
      this.#respond(call, outcome.response);
      return;
    }
    const answer = ownAnswer(call, outcome);
    if (answer?.error) this.#output.reply(idText, errorText(idText, answer.error));
    else if (answer) this.#output.reply(idText, resultText(idText, answer.result));
  }

  /** A legacy client cannot read a result that asks for input; an error may ask for it, too. */
  #respond({ request: { idText }, route }: ClientCall, response: ServerResponse): void {
    if (!response.isError || route === undefined) {
      this.#output.answer(idText, response);
      return;
    }
    this.#elicitations.addFrom(route.place, response);
    const shown = responseWithOrigin(response, route, this.#surface.isTransparent);
    if (shown === undefined) this.#output.answer(idText, response);
    else this.#output.reply(idText, shownResponse(idText, shown));
  }

  onProgress({ progressToken, request }: ClientCall, notification: IncomingNotification): void {
    if (progressToken !== undefined && this.#initialized)
      this.#output.send(progressText(notification, progressToken), request.idText);
  }

  onServerRequest(question: ServerRequest, call: ClientCall | undefined): void {
    const isTransparent = this.#surface.isTransparent;
    const refused = prepareQuestion(question, call !== undefined, isTransparent);
    if (refused !== undefined) {
      question.refuse(refused);
      return;
    }
    this.#elicitations.add(question.from.place, question.request.params);
    this.#questions.ask(question, call?.request.idText);
  }

  onToolsChanged(server: Server, connection: Connection): void {
    this.#surface.onToolsChanged(server, connection);
  }

  onNotification(server: Server, connection: Connection, notification: IncomingNotification): void {
    const { method, params } = notification;
    if (this.#concernsAnother(server, notification)) return;
    if (method === "notifications/resources/updated") this.#subscriptions.updated(server, params);
    else if (method === "notifications/cancelled")
      this.#questions.withdraw(connection, params["requestId"], params["reason"]);
    else if (method !== "notifications/message" || reaches(this.logLevel, params))
      this.#news.send(notification);
  }

  onCallNotification({ request }: ClientCall, notification: IncomingNotification): void {
    const { method, params } = notification;
    if (method !== "notifications/message" || reaches(this.logLevel, params))
      this.#handOn(notification, request.idText);
  }

  /** True for notifications about a task or elicitation of another client or server. */
  #concernsAnother({ place }: Server, { method, params }: IncomingNotification): boolean {
    if (method === "notifications/elicitation/complete")
      return !this.#elicitations.has(place, params);
    if (method !== "notifications/tasks/status") return false;
    return !this.pipeline.tasks.isVisibleTo(this.owner, params["taskId"], place);
  }

  #handOn(notification: IncomingNotification, about?: string): void {
    if (this.#initialized) this.#output.send(forwardedText(notification), about);
  }

  /** The destination of a request: what belongs to the session is answered here. */
  readonly #route = ({ request }: ClientCall): Destination | Promise<Destination> => {
    const { method } = request;
    if (this.#initialized && method === "tools/call") return this.#surface.route(this, request);
    if (method === "initialize") return { answer: () => this.#initialize(request) };
    if (method === "ping") return answered(NOTHING);
    if (!this.#initialized) {
      const message = `Not initialized: send initialize before ${method}`;
      return answered(refusal(RPC.invalidRequest, message));
    }
    if (method === "logging/setLevel") return { answer: () => this.#setLevel(request) };
    if (method === "resources/subscribe" || method === "resources/unsubscribe")
      return this.#subscribe(request);
    return this.#surface.route(this, request);
  };

  async #initialize(request: IncomingRequest): Promise<Outcome> {
    const { protocolVersion } = request.params;
    if (this.#initialized) return refusal(RPC.invalidRequest, "Already initialized");
    if (typeof protocolVersion !== "string") {
      const reason = "protocolVersion: Required (expected string)";
      throw workbenchError("INVALID_PARAMETERS", { reason });
    }
    try {
      const greeting = await this.adopt(request);
      return result({ protocolVersion: this.protocolVersion, ...greeting });
    } catch (error) {
      // The client may try again when its server can be reached.
      this.#initialized = false;
      this.protocolVersion = undefined;
      throw error;
    }
  }

  #setLevel(request: IncomingRequest): Outcome {
    const { level } = request.params;
    if (typeof level !== "string" || !LOG_LEVELS.includes(level)) {
      const message = `Invalid parameters: level: Expected one of ${LOG_LEVELS.join(", ")}`;
      return refusal(RPC.invalidParams, message);
    }
    this.logLevel = level;
    this.#envelope = undefined;
    // The client does not wait for its servers: one of them may never answer.
    for (const { connection } of this.#links.open) void sendLogLevel(connection);
    return NOTHING;
  }

  async #subscribe({ method, params }: IncomingRequest): Promise<Destination> {
    const clientUri = params["uri"];
    if (typeof clientUri !== "string") return answered(uriRequired());
    const address = await this.#surface.findResource(this, clientUri);
    if ("code" in address) return answered({ kind: "refusal", error: address });
    const { server, uri } = address;
    const connection = await this.connect(server);
    const isDone =
      method === "resources/subscribe"
        ? this.#subscriptions.add(clientUri, server, uri, connection)
        : this.#subscriptions.remove(clientUri, uri, connection);
    if (isDone) return answered(NOTHING);
    return { server, subject: clientUri, changes: { uri: JSON.stringify(uri) } };
  }

  /** Repeats on a new connection what the client asked for on the previous one. */
  #fresh(server: Server, connection: Connection): void {
    void sendLogLevel(connection);
    this.#subscriptions.renew(server, connection);
    const again = this.#met.has(server);
    this.#met.add(server);
    if (again || this.#surface.isTransparent) this.#surface.onToolsChanged(server, connection);
    // For the single server of a transparent view, the first lists are not a change.
    if (this.#surface.isTransparent && !again) return;
    for (const kind of ["prompts", "resources"])
      if (kind in connection.hello.capabilities)
        this.#news.send({ method: `notifications/${kind}/list_changed`, params: {} });
  }

  #cancelled(params: JsonObject): void {
    const id = params["requestId"];
    if (typeof id !== "string" && typeof id !== "number") return;
    const call = this.#calls.get(JSON.stringify(id));
    if (call !== undefined) cancel(call, params["reason"]);
  }
}
