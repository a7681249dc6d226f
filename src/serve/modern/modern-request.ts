import type { Call } from "../../calls/call.ts";
import { ClientCall, type Pipeline } from "../../calls/client-call.ts";
import { type Router, dispatch } from "../../calls/dispatch.ts";
import type { Outcome } from "../../calls/outcome.ts";
import type { Principal } from "../../calls/principal.ts";
import { progressTokenOf } from "../../calls/request-text.ts";
import { cancel } from "../../calls/settle.ts";
import type { ClientProfile } from "../../protocol/client-profile.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import { MODERN_OWNER, SOLE_OWNER } from "../../calls/tasks.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import { reaches, sendLogLevel } from "../../servers/connection/log-level.ts";
import type { Server } from "../../servers/server.ts";
import {
  type IncomingNotification,
  type IncomingRequest,
  errorText,
  forwardedText,
  progressText,
  resultText,
} from "../../wire/messages.ts";
import type { ServerResponse } from "../../wire/response.ts";
import type { Scope } from "../../workbench/scopes.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientOutput } from "../client-output.ts";
import { completeMembers, completed, missingResource } from "./complete-result.ts";
import type { ClientView } from "../client-factory.ts";
import { ParkedQuestions } from "./parked-questions.ts";
import type { Parkable, PendingInput } from "./pending-input.ts";
import { ownAnswer } from "../own-answer.ts";
import type { ServedClient } from "../served-client.ts";
import { prepareQuestion, responseWithOrigin, shownResponse } from "../server-requests.ts";

/** Notifications of the protocol itself, which are handled elsewhere. */
const STANDARD =
  /^notifications\/((tools|prompts|resources)\/|cancelled|progress|tasks|elicitation)/;

const MAX_MISSED = 100;
const MAX_MISSED_CHARS = 4096;

export interface ExchangeOptions {
  readonly workbench: Workbench;
  readonly view: ClientView;
  readonly parking: PendingInput<ModernRequest>;
  /** Set if all requests come from one client. */
  readonly client: object | undefined;
  readonly profile: ClientProfile;
  readonly principal: Principal;
  /** The profile is no longer used. */
  readonly giveBack: () => void;
  readonly logLevel: string | undefined;
  readonly request: IncomingRequest;
  readonly output: ClientOutput;
  /** Nothing more will be sent about the request. */
  readonly ended: () => void;
}

/**
 * One request of a modern client, which is all that is known about that client.
 *
 * A legacy server may send a request during the call. A modern client cannot be sent one, so the
 * call is parked: its request is answered with "input required", and when the client sends it again
 * with the answers, the same call continues under the new id.
 */
export class ModernRequest implements ServedClient, Parkable {
  readonly era = "modern";
  readonly envelope = undefined;
  readonly client: object | undefined;
  readonly owner: string;
  readonly principal: Principal;
  readonly pipeline: Pipeline;
  readonly #options: ExchangeOptions;
  readonly #questions: ParkedQuestions;
  #output: ClientOutput | undefined;
  #idText: string;
  readonly #call: ClientCall;
  /** The outcome that arrived while no request of the client was open. */
  #held: ((output: ClientOutput) => void) | undefined;
  /**
   * The notifications that arrived while the call was parked; only the last ones if there were
   * many.
   */
  readonly #missed: (() => string | undefined)[] = [];
  #ended: () => void;
  #released = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.client = options.client;
    this.owner = options.client === undefined ? MODERN_OWNER : SOLE_OWNER;
    this.#questions = new ParkedQuestions(options.profile.capabilities);
    this.#idText = options.request.idText;
    this.#output = options.output;
    this.#ended = options.ended;
    this.principal = options.principal;
    this.pipeline = options.workbench.pipeline;
    this.#call = new ClientCall(this, options.request);
  }

  /** Dispatches the request. */
  start(route: Router): void {
    dispatch(this.#call, route);
  }

  get scope(): Scope {
    return this.#options.view.scope;
  }

  get #isTransparent(): boolean {
    return this.#options.view.server !== undefined;
  }

  get open(): { server: Server; connection: Connection }[] {
    return Array.from(this.scope.values()).flatMap((toolbox) =>
      Array.from(toolbox.servers.values()).flatMap((server) => {
        const connection = server.ready(this.#options.profile);
        return connection === undefined ? [] : [{ server, connection }];
      }),
    );
  }

  connectionTo(server: Server): Connection | undefined {
    const connection = server.ready(this.#options.profile);
    // A legacy server has to know the log level before the call.
    const untold = this.#options.logLevel !== undefined && connection?.era === "legacy";
    return untold ? undefined : connection;
  }

  async connect(server: Server): Promise<Connection> {
    const { profile, logLevel } = this.#options;
    const connection = await server.connect(profile);
    if (logLevel !== undefined) await sendLogLevel(connection, logLevel);
    return connection;
  }

  onSettled(call: ClientCall, outcome: Outcome): void {
    if (outcome.kind === "response") this.#respond(call, outcome.response);
    const answer = ownAnswer(call, outcome);
    if (answer === undefined) return;
    this.#finish((output) => {
      const idText = this.#idText;
      const message = answer.error
        ? errorText(idText, answer.error)
        : resultText(idText, completed(call.method, answer.result));
      output.reply(idText, message);
    });
  }

  #respond({ method, route }: ClientCall, response: ServerResponse): void {
    const shown = route && responseWithOrigin(response, route, this.#isTransparent);
    if (shown !== undefined) {
      this.#finish((output) => output.reply(this.#idText, shownResponse(this.#idText, shown)));
      return;
    }
    const isLegacy = route?.era === "legacy";
    const insert = isLegacy ? completeMembers(method) : "";
    this.#finish((output) => {
      const missing = isLegacy ? missingResource(method, response, this.#idText) : undefined;
      if (missing === undefined) output.answer(this.#idText, response, insert);
      else output.reply(this.#idText, missing);
    });
  }

  onProgress(call: Call, notification: IncomingNotification): void {
    this.#tell(notification, () =>
      call.progressToken === undefined ? undefined : progressText(notification, call.progressToken),
    );
  }

  /** List changes go to listening clients; everything else may belong to this request. */
  onCallNotification(_call: Call, notification: IncomingNotification): void {
    const { method, params } = notification;
    const { logLevel } = this.#options;
    const wanted =
      method === "notifications/message"
        ? logLevel !== undefined && reaches(logLevel, params)
        : this.#isTransparent && !STANDARD.test(method);
    if (wanted) this.#tell(notification, () => forwardedText(notification));
  }

  onNotificationDuringCall(call: Call, notification: IncomingNotification): void {
    const { method, params } = notification;
    if (method !== "notifications/cancelled") this.onCallNotification(call, notification);
    else if (call.route !== undefined) this.#questions.withdraw(call.route, params["requestId"]);
  }

  onServerRequest(question: ServerRequest, call: Call | undefined): void {
    const refusal = prepareQuestion(question, call !== undefined, this.#isTransparent);
    if (refusal !== undefined) question.refuse(refusal);
    else if (!this.#questions.add(question, call)) question.refuseMethod();
    // Requests that arrive at the same time are sent to the client together.
    else if (this.#output !== undefined) queueMicrotask(() => this.#park());
  }

  /** True for a retry of the parked request. */
  isAbout({ method, params }: IncomingRequest): boolean {
    const { request } = this.#options;
    const same = (key: string): boolean =>
      JSON.stringify(params[key]) === JSON.stringify(request.params[key]);
    return method === request.method && ["name", "uri", "arguments"].every(same);
  }

  /** The client returned with answers, in a new request. */
  resume(request: IncomingRequest, output: ClientOutput, ended: () => void): void {
    this.#idText = request.idText;
    this.#ended = ended;
    this.#call.progressToken = progressTokenOf(request);
    this.#output = output;
    for (const textOf of this.#missed.splice(0)) this.#send(textOf());
    this.#questions.answer(request);
    if (this.#held !== undefined) this.#finish(this.#held);
    else if (this.#questions.size > 0) this.#park();
  }

  /** The client cancelled its request. */
  cancel(reason: unknown): void {
    this.#output = undefined;
    this.abandon(reason);
  }

  abandon(reason: unknown = "the client did not return"): void {
    cancel(this.#call, reason);
    this.#end();
  }

  /** Servers are no longer used for this request. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#options.giveBack();
  }

  #park(): void {
    const output = this.#output;
    if (output === undefined || this.#questions.size === 0) return;
    this.#output = undefined;
    const requestState = JSON.stringify(this.#options.parking.park(this));
    const result = `{"resultType":"input_required","inputRequests":${this.#questions.text},"requestState":${requestState}}`;
    output.reply(this.#idText, resultText(this.#idText, result));
    this.#ended();
  }

  /** Sends a notification; while the call is parked, it is kept until the client returns. */
  #tell({ text = "" }: IncomingNotification, textOf: () => string | undefined): void {
    if (this.#output !== undefined) this.#send(textOf());
    else if (text.length <= MAX_MISSED_CHARS) {
      this.#missed.push(textOf);
      if (this.#missed.length > MAX_MISSED) this.#missed.shift();
    }
  }

  #send(text: string | undefined): void {
    if (text !== undefined) this.#output?.send(text, this.#idText);
  }

  #finish(say: (output: ClientOutput) => void): void {
    const output = this.#output;
    if (output === undefined) {
      this.#held = say;
      return;
    }
    this.#output = undefined;
    say(output);
    this.#end();
  }

  #end(): void {
    this.#questions.close();
    this.release();
    this.#ended();
  }
}
