import type { WorkbenchError } from "../errors.ts";
import type { Call } from "../relay/call.ts";
import type { ClientProfile } from "../relay/client-profile.ts";
import type { Question } from "../relay/question.ts";
import { ask } from "../servers/ask.ts";
import type { Connection } from "../servers/connection.ts";
import type { ServerClient } from "../servers/server-client.ts";
import type { Server } from "../servers/server.ts";
import {
  type IncomingNotification,
  type IncomingRequest,
  type JsonObject,
  type RpcError,
  errorText,
  isObject,
  notificationText,
  resultText,
} from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";
import type { Scope } from "../workbench/scopes.ts";
import type { Workbench } from "../workbench/workbench.ts";
import type { ClientOutput } from "./client-output.ts";
import { OUR_SERVER_INFO, completeMembers } from "./complete-result.ts";
import { Links } from "./links.ts";
import type { Parkable, Parking } from "./parking.ts";
import type { Requester } from "./requester.ts";

/** The requests that may be answered with "input required". */
const MAY_ASK = new Set(["tools/call", "prompts/get", "resources/read"]);
/** The capability a client needs for each question. */
const NEEDED = {
  "sampling/createMessage": "sampling",
  "elicitation/create": "elicitation",
  "roots/list": "roots",
};

/**
 * One request of a modern client, which is all that is known of that client.
 *
 * A legacy server may ask something in the middle of the call. A modern client cannot be asked, so
 * the call is parked: the request is answered with "input required", and when the client sends it
 * again with the answers, the same call goes on under the new id.
 */
export class ModernExchange implements Requester, ServerClient, Parkable {
  readonly era = "modern";
  readonly scope: Scope;
  readonly envelope = undefined;
  readonly logLevel: string | undefined;
  readonly #workbench: Workbench;
  readonly #profile: ClientProfile;
  readonly #parking: Parking<ModernExchange>;
  readonly #links = new Links(this);
  readonly #questions = new Map<string, Question>();
  #nextQuestion = 1;
  #output: ClientOutput | undefined;
  #idText: string;
  #call: Call | undefined;
  /** What was to be said while nobody was there to hear it. */
  #held: ((output: ClientOutput) => void) | undefined;
  #ended: () => void;

  constructor(
    workbench: Workbench,
    scope: Scope,
    parking: Parking<ModernExchange>,
    client: { profile: ClientProfile; logLevel: string | undefined },
    request: IncomingRequest,
    output: ClientOutput,
    ended: () => void,
  ) {
    this.#workbench = workbench;
    this.scope = scope;
    this.#parking = parking;
    this.#profile = client.profile;
    this.logLevel = client.logLevel;
    this.#idText = request.idText;
    this.#output = output;
    this.#ended = ended;
  }

  get open(): { server: Server; connection: Connection }[] {
    return this.#links.open;
  }

  linked(server: Server): Connection | undefined {
    // A level of logging has to be told before the call.
    return this.logLevel === undefined ? server.ready(this.#profile) : undefined;
  }

  async connect(server: Server): Promise<Connection> {
    if (this.logLevel === undefined) return server.connect(this.#profile);
    let told: Promise<unknown> | undefined;
    const connection = await this.#links.connect(server, this.#profile, (fresh) => {
      if (fresh.era === "legacy" && "logging" in fresh.greeting.capabilities)
        told = ask(fresh, "logging/setLevel", { level: this.logLevel }).catch(() => {});
    });
    await told;
    return connection;
  }

  track(call: Call): void {
    this.#call = call;
  }

  reply(request: IncomingRequest, result: JsonObject): void {
    const meta = { ...(isObject(result["_meta"]) && result["_meta"]), ...OUR_SERVER_INFO };
    this.replyText(request, JSON.stringify({ ...result, _meta: meta }));
  }

  replyText(request: IncomingRequest, result: string): void {
    const members = completeMembers(request.method);
    const body = result === "{}" ? `{${members.slice(0, -1)}}` : `{${members}${result.slice(1)}`;
    this.#finish((output) =>
      output.reply(this.#idText, `{"jsonrpc":"2.0","id":${this.#idText},"result":${body}}`),
    );
  }

  toolError(request: IncomingRequest, error: WorkbenchError): void {
    this.reply(request, { content: [{ type: "text", text: error.text }], isError: true });
  }

  refuse(_request: unknown, error: RpcError): void {
    this.#finish((output) => output.reply(this.#idText, errorText(this.#idText, error)));
  }

  answered(call: Call, response: ServerResponse): void {
    if (call.route) this.#workbench.tasks.learn(response, call.route.place);
    const insert = call.route?.era === "legacy" ? completeMembers(call.method) : "";
    this.#finish((output) => output.answer(this.#idText, response, insert));
  }

  failed(call: Call, error: WorkbenchError): void {
    if (call.method !== "tools/call") {
      this.refuse(call, { code: error.rpcCode, message: error.text });
      return;
    }
    const result = {
      resultType: "complete",
      content: [{ type: "text", text: error.text }],
      isError: true,
    };
    this.#finish((output) => output.reply(this.#idText, resultText(this.#idText, result)));
  }

  progressed(call: Call, params: JsonObject): void {
    this.#notify("notifications/progress", { ...params, progressToken: call.progressToken });
  }

  notified(_server: Server, _connection: Connection, notification: IncomingNotification): void {
    if (notification.method === "notifications/message")
      this.#notify(notification.method, notification.params);
  }

  toolsChanged(): void {
    // Changes are told to those who listen for them.
  }

  asked(question: Question, call: Call | undefined): void {
    const needed = NEEDED[question.method as keyof typeof NEEDED];
    if (
      call === undefined ||
      !MAY_ASK.has(call.method) ||
      !(needed in this.#profile.capabilities)
    ) {
      question.refuseMethod();
      return;
    }
    this.#questions.set(`question-${this.#nextQuestion++}`, question);
    // Questions asked at the same time are put to the client together.
    if (this.#output !== undefined) queueMicrotask(() => this.#park());
  }

  /** The client came back with answers, under a new request. */
  resume(request: IncomingRequest, output: ClientOutput, ended: () => void): void {
    this.#idText = request.idText;
    this.#ended = ended;
    const { inputResponses } = request.params;
    const answers = isObject(inputResponses) ? inputResponses : {};
    for (const [key, question] of this.#questions) {
      if (!(key in answers)) continue;
      this.#questions.delete(key);
      question.answer(JSON.stringify(answers[key]));
    }
    this.#output = output;
    if (this.#held !== undefined) this.#finish(this.#held);
    else if (this.#questions.size > 0) this.#park();
  }

  /** The client gave its request up. */
  cancel(reason: unknown): void {
    this.#output = undefined;
    this.abandon(reason);
  }

  abandon(reason: unknown = "the client did not come back"): void {
    if (this.#call !== undefined) {
      this.#call.cancelled = true;
      this.#call.route?.cancel(this.#call, reason);
    }
    this.#end();
  }

  #park(): void {
    const output = this.#output;
    if (output === undefined || this.#questions.size === 0) return;
    this.#output = undefined;
    const inputRequests = Object.fromEntries(
      Array.from(this.#questions, ([key, { request }]) => [
        key,
        { method: request.method, params: request.params },
      ]),
    );
    const requestState = this.#parking.park(this);
    const result = { resultType: "input_required", inputRequests, requestState };
    output.reply(this.#idText, resultText(this.#idText, result));
    this.#ended();
  }

  #notify(method: string, params: JsonObject): void {
    this.#output?.send(notificationText(method, params), this.#idText);
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
    for (const question of this.#questions.values()) question.refuseMethod();
    this.#questions.clear();
    this.#links.release();
    this.#ended();
  }
}
