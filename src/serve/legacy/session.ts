import { RPC, type WorkbenchError, workbenchError } from "../../errors.ts";
import type { Call, CallRoute } from "../../relay/call.ts";
import { type ClientProfile, clientProfile } from "../../relay/client-profile.ts";
import { envelopeOf } from "../../relay/envelope.ts";
import type { Question } from "../../relay/question.ts";
import { SOLE_OWNER } from "../../relay/tasks.ts";
import { legacyVersionFor } from "../../relay/versions.ts";
import type { Connection } from "../../servers/connection.ts";
import { LOG_LEVELS, reaches, tellLevel } from "../../servers/log-level.ts";
import type { ServerClient } from "../../servers/server-client.ts";
import type { Server } from "../../servers/server.ts";
import {
  type IncomingNotification,
  type IncomingRequest,
  type IncomingResponse,
  type JsonObject,
  type RequestId,
  type RpcError,
  errorText,
  handedOn,
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
import { forward } from "../forward.ts";
import { type WantedInput, collectInput, inputRequired } from "./input-loop.ts";
import { Links } from "./links.ts";
import type { Requester } from "../requester.ts";
import { refuseUri } from "../surface/resources.ts";
import { ServerNews } from "../server-news.ts";
import {
  type ShownResponse,
  prepareQuestion,
  responseWithOrigin,
  shownResponse,
} from "../server-requests.ts";
import { SessionElicitations } from "./session-elicitations.ts";
import { SessionQuestions } from "./session-questions.ts";
import { SessionSubscriptions } from "./session-subscriptions.ts";
import { type Surface, answerLater } from "../surface/surface.ts";

const ROOTS_CHANGED = "notifications/roots/list_changed";
const UNKNOWN_CLIENT = clientProfile("legacy", {}, { name: "unknown", version: "0" });

/**
 * One client of the legacy era: what it said in `initialize`, its calls in flight, the questions
 * it has been asked and what it wants to hear about. Knows nothing of how messages travel.
 */
export class Session implements Requester, ServerClient {
  readonly era = "legacy";
  readonly scope: Scope;
  readonly owner: string;
  logLevel: string | undefined;
  /** What was agreed on in `initialize`; undefined until then. */
  protocolVersion: string | undefined;
  readonly #workbench: Workbench;
  readonly #surface: Surface;
  readonly #output: ClientOutput;
  readonly #links = new Links(this);
  readonly #inFlight = new Map<string, Call>();
  readonly #questions: SessionQuestions;
  readonly #elicitations = new SessionElicitations();
  readonly #subscriptions: SessionSubscriptions;
  /** The servers the client has used before. */
  readonly #met = new WeakSet<Server>();
  readonly #news: ServerNews;
  #profile: ClientProfile = UNKNOWN_CLIENT;
  #envelope: JsonObject | undefined;
  #initialized = false;

  constructor(
    workbench: Workbench,
    scope: Scope,
    surfaceOf: (session: Session) => Surface,
    output: ClientOutput,
    owner: string = SOLE_OWNER,
  ) {
    this.#workbench = workbench;
    this.scope = scope;
    this.owner = owner;
    this.#output = output;
    this.#questions = new SessionQuestions(output);
    this.#news = new ServerNews((notification) => this.#handOn(notification));
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

  linked(server: Server): Connection | undefined {
    return this.#links.get(server);
  }

  connect(server: Server): Promise<Connection> {
    return this.#links.connect(server, this.#profile, (connection) =>
      this.#fresh(server, connection),
    );
  }

  /** Gives up the servers of a toolbox. */
  async release(toolbox: Toolbox): Promise<void> {
    await Promise.all(Array.from(toolbox.servers.values(), (server) => this.#links.drop(server)));
  }

  /** Takes over what the client says of itself in `initialize`; gives what it is to be told. */
  adopt(request: IncomingRequest): JsonObject | Promise<JsonObject> {
    const { protocolVersion, capabilities, clientInfo } = request.params;
    const told = isObject(capabilities) ? capabilities : {};
    const info = isObject(clientInfo) ? clientInfo : UNKNOWN_CLIENT.info;
    this.#profile = clientProfile("legacy", told, info);
    this.protocolVersion = legacyVersionFor(String(protocolVersion));
    this.#initialized = true;
    return this.#surface.greeting(this);
  }

  request(request: IncomingRequest): void {
    if (this.#inFlight.has(request.idText)) {
      const message = "Invalid request: this id is still in use";
      this.refuse(request, { code: RPC.invalidRequest, message });
    } else if (this.#initialized && request.method === "tools/call")
      this.#surface.handle(this, request);
    else this.#other(request);
  }

  notification(notification: IncomingNotification): void {
    const { method, params } = notification;
    if (method === "notifications/cancelled") this.#cancelled(params);
    else if (method === "notifications/progress") this.#questions.progressed(params);
    else if (method !== "notifications/initialized" && this.#surface.handsOn(method))
      // Changed roots and whatever else concern every server in use. Modern ones know nothing of the
      // kind, except for what a client means for the one server it sees.
      for (const { connection } of this.#links.open)
        if (
          (connection.era === "legacy" ||
            (this.#surface.isTransparent && method !== ROOTS_CHANGED)) &&
          this.#questions.tasks.concerns(connection.place, notification)
        )
          connection.send(handedOn(notification));
  }

  response(response: IncomingResponse, text: string): void {
    this.#questions.answered(response, text);
  }

  /** The client answered a question in a way that the server must not be given. */
  unusableResponse(id: RequestId, reason: string): void {
    this.#questions.refuse(id, { code: RPC.internal, message: `The client's response: ${reason}` });
  }

  readonly #watcher = {
    surfaceChanging: (): void => this.#surface.surfaceChanging(),
    surfaceChanged: (): void => this.#surface.surfaceChanged(),
  };

  /** The client is gone: its calls are taken back and it hears nothing any more. */
  close(): void {
    this.#workbench.watchers.delete(this.#watcher);
    for (const call of this.#inFlight.values()) withdraw(call, "the client disconnected");
    this.#inFlight.clear();
    this.#questions.close();
    this.#subscriptions.close();
    this.#news.close();
    this.#links.release();
  }

  track(call: Call): void {
    this.#inFlight.set(call.callerId, call);
  }

  reply(request: IncomingRequest, result: JsonObject): void {
    this.#output.reply(request.idText, resultText(request.idText, result));
  }

  replyText(request: IncomingRequest, result: string): void {
    const { idText } = request;
    this.#output.reply(idText, `{"jsonrpc":"2.0","id":${idText},"result":${result}}`);
  }

  toolError(request: { readonly idText: string }, error: WorkbenchError): void {
    const result = { content: [{ type: "text", text: error.text }], isError: true };
    this.#output.reply(request.idText, resultText(request.idText, result));
  }

  refuse(request: { readonly idText: string }, error: RpcError): void {
    this.#output.reply(request.idText, errorText(request.idText, error));
  }

  notify(method: string, params?: JsonObject, about?: string): void {
    if (this.#initialized) this.#output.send(notificationText(method, params), about);
  }

  answered(call: Call, response: ServerResponse): void {
    const wanted = call.again && inputRequired(response);
    if (wanted !== undefined && !("code" in wanted)) {
      void this.#askFor(call, wanted);
      return;
    }
    this.#inFlight.delete(call.callerId);
    const { route, callerId } = call;
    if (route) this.#workbench.tasks.learn(response, route, this.owner);
    // A result that asks for input means nothing to a legacy client; an error may ask for it, too.
    const shown =
      wanted ?? (response.isError && route ? this.#shownError(response, route) : undefined);
    if (shown === undefined) this.#output.answer(callerId, response);
    else this.#output.reply(callerId, shownResponse(callerId, shown));
  }

  failed(call: Call, error: WorkbenchError): void {
    this.#inFlight.delete(call.callerId);
    const request = { idText: call.callerId };
    if (call.method === "tools/call") this.toolError(request, error);
    else this.refuse(request, error.rpcError);
  }

  progressed({ progressToken, callerId }: Call, notification: IncomingNotification): void {
    if (progressToken !== undefined && this.#initialized)
      this.#output.send(progressText(notification, progressToken), callerId);
  }

  asked(question: Question, call: Call | undefined): void {
    this.#ask(question, call);
  }

  toolsChanged(server: Server, connection: Connection): void {
    this.#surface.toolsChanged(server, connection);
  }

  notified(server: Server, connection: Connection, notification: IncomingNotification): void {
    const { method, params } = notification;
    if (this.#concernsAnother(server, notification)) return;
    if (method === "notifications/resources/updated") this.#subscriptions.updated(server, params);
    else if (method === "notifications/cancelled")
      this.#questions.withdraw(connection, params["requestId"], params["reason"]);
    else if (method !== "notifications/message" || reaches(this.logLevel, params))
      this.#news.tell(notification);
  }

  heard(call: Call, notification: IncomingNotification): void {
    const { method, params } = notification;
    if (method !== "notifications/message" || reaches(this.logLevel, params))
      this.#handOn(notification, call.callerId);
  }

  /** True for news of a task or an elicitation of another client, or of another server. */
  #concernsAnother({ place }: Server, { method, params }: IncomingNotification): boolean {
    if (method === "notifications/elicitation/complete")
      return !this.#elicitations.has(place, params);
    if (method !== "notifications/tasks/status") return false;
    return !this.#workbench.tasks.mayHear(this.owner, params["taskId"], place);
  }

  #handOn(notification: IncomingNotification, about?: string): void {
    if (this.#initialized) this.#output.send(handedOn(notification), about);
  }

  #other(request: IncomingRequest): void {
    const { method } = request;
    if (method === "initialize") answerLater(this, request, this.#initialize(request));
    else if (method === "ping") this.reply(request, {});
    else if (!this.#initialized)
      this.refuse(request, {
        code: RPC.invalidRequest,
        message: `Not initialized: send initialize before ${method}`,
      });
    else if (method === "logging/setLevel") this.#setLevel(request);
    else if (method === "resources/subscribe" || method === "resources/unsubscribe")
      answerLater(this, request, this.#subscribe(request));
    else this.#surface.handle(this, request);
  }

  async #initialize(request: IncomingRequest): Promise<void> {
    const { protocolVersion } = request.params;
    if (this.#initialized) {
      this.refuse(request, { code: RPC.invalidRequest, message: "Already initialized" });
      return;
    }
    if (typeof protocolVersion !== "string") {
      const reason = "protocolVersion: Required (expected string)";
      throw workbenchError("INVALID_PARAMETERS", { reason });
    }
    try {
      const greeting = await this.adopt(request);
      this.reply(request, { protocolVersion: this.protocolVersion, ...greeting });
    } catch (error) {
      // The client may try again when the server it wants to see can be reached.
      this.#initialized = false;
      this.protocolVersion = undefined;
      throw error;
    }
  }

  #setLevel(request: IncomingRequest): void {
    const { level } = request.params;
    if (typeof level !== "string" || !LOG_LEVELS.includes(level)) {
      const message = `Invalid parameters: level: Expected one of ${LOG_LEVELS.join(", ")}`;
      this.refuse(request, { code: RPC.invalidParams, message });
      return;
    }
    this.logLevel = level;
    this.#envelope = undefined;
    const told = this.#links.open.map(({ connection }) => tellLevel(connection));
    void Promise.all(told).then(() => this.reply(request, {}));
  }

  async #subscribe(request: IncomingRequest): Promise<void> {
    const clientUri = request.params["uri"];
    if (typeof clientUri !== "string") {
      refuseUri(this, request);
      return;
    }
    const address = await this.#surface.findResource(this, clientUri);
    if ("code" in address) {
      this.refuse(request, address);
      return;
    }
    const { server, uri } = address;
    const connection = await this.connect(server);
    const told =
      request.method === "resources/subscribe"
        ? this.#subscriptions.add(clientUri, server, uri, connection)
        : this.#subscriptions.remove(clientUri, uri, connection);
    if (told) this.reply(request, {});
    else forward(this, request, server, clientUri, { uri: JSON.stringify(uri) });
  }

  /** Asks the client what a modern server wants to know before it goes on with a call. */
  async #askFor(call: Call, wanted: WantedInput): Promise<void> {
    // Only a call that was sent can have been answered.
    const { route } = call;
    if (route === undefined) return;
    const refusal = await collectInput(call, wanted, route, (question) =>
      this.#ask(question, call, call),
    );
    if (refusal === undefined || call.cancelled) return;
    this.#questions.withdrawFor(call);
    this.#inFlight.delete(call.callerId);
    this.refuse({ idText: call.callerId }, refusal);
  }

  #ask(question: Question, call: Call | undefined, onBehalfOf?: Call): void {
    const isTransparent = this.#surface.isTransparent;
    const refusal = prepareQuestion(question, call !== undefined, isTransparent);
    if (refusal !== undefined) {
      question.refuse(refusal);
      return;
    }
    this.#elicitations.add(question.from.place, question.request.params);
    this.#questions.ask(question, call, onBehalfOf);
  }

  #shownError(response: ServerResponse, route: CallRoute): ShownResponse | undefined {
    this.#elicitations.addFrom(route.place, response);
    return responseWithOrigin(response, route, this.#surface.isTransparent);
  }

  /** Tells a connection that is new to this client what the client had asked of the one before. */
  #fresh(server: Server, connection: Connection): void {
    void tellLevel(connection);
    this.#subscriptions.renew(server, connection);
    const again = this.#met.has(server);
    this.#met.add(server);
    if (again || this.#surface.isTransparent) this.#surface.toolsChanged(server, connection);
    // What the one server a client sees has is no news to it when they first meet.
    if (this.#surface.isTransparent && !again) return;
    for (const kind of ["prompts", "resources"])
      if (kind in connection.greeting.capabilities)
        this.#news.tell({ method: `notifications/${kind}/list_changed`, params: {} });
  }

  #cancelled(params: JsonObject): void {
    const id = params["requestId"];
    if (typeof id !== "string" && typeof id !== "number") return;
    const call = this.#inFlight.get(JSON.stringify(id));
    if (call === undefined) return;
    this.#inFlight.delete(call.callerId);
    withdraw(call, params["reason"]);
    this.#questions.withdrawFor(call);
  }
}

function withdraw(call: Call, reason: unknown): void {
  call.cancelled = true;
  call.route?.cancel(call, reason);
}
