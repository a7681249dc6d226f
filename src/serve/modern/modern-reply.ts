import type { Call } from "../../calls/call.ts";
import type { RequestSource, ServerRequest } from "../../calls/server-request.ts";
import { refusalByCapabilities } from "../../protocol/answerable.ts";
import {
  type IncomingNotification,
  type IncomingRequest,
  type JsonObject,
  resultText,
} from "../../wire/messages.ts";
import type { ClientOutput } from "../client-output.ts";
import { NotificationBudget } from "../notification-budget.ts";
import { prepareServerRequest } from "../server-requests.ts";
import type { WriteAnswer } from "./modern-answer.ts";
import { ParkedQuestions } from "./parked-questions.ts";

const MAX_MISSED = 100;
const MAX_MISSED_CHARS = 4096;

export interface ModernReplyOptions {
  readonly capabilities: JsonObject;
  /** Whether servers may not know the capabilities, because clients share connections. */
  readonly isShared: boolean;
  readonly isTransparent: boolean;
  /** Keeps the call until the client comes back; returns the `requestState` it comes back with. */
  readonly park: () => string;
  /** The call has its answer. */
  readonly onFinished: () => void;
}

/**
 * The reply to one modern request: notifications, and in the end its answer.
 *
 * A legacy server may ask something in the middle of the call. A modern client cannot be asked, so
 * the call is parked: the request is answered with "input required", and when the client sends it
 * again with the answers, the same call continues under the new id.
 */
export class ModernReply {
  readonly #options: ModernReplyOptions;
  readonly #questions: ParkedQuestions;
  #idText: string;
  /** Undefined while the call is parked, and at the end. */
  #output: ClientOutput | undefined;
  #onEnded: () => void;
  /** The answer to a call that is parked. */
  #answer: WriteAnswer | undefined;
  /** The notifications that came while the call was parked; the last ones if there were many. */
  readonly #missed: (() => string | undefined)[] = [];
  readonly #budget = new NotificationBudget();

  /** `onEnded` is called when nothing more will be sent through this output. */
  constructor(
    options: ModernReplyOptions,
    { idText }: IncomingRequest,
    output: ClientOutput,
    onEnded: () => void,
  ) {
    this.#options = options;
    this.#questions = new ParkedQuestions(options.capabilities);
    this.#idText = idText;
    this.#output = output;
    this.#onEnded = onEnded;
  }

  /** Sends a notification, unless there are too many. While the call is parked, keeps it until the client comes back. */
  notify(notification: IncomingNotification, textOf: () => string | undefined): void {
    const { text = "" } = notification;
    if (!this.#budget.admitsAbout(notification)) return;
    if (this.#output !== undefined) this.#send(textOf());
    else if (text.length <= MAX_MISSED_CHARS) {
      this.#missed.push(textOf);
      if (this.#missed.length > MAX_MISSED) this.#missed.shift();
    }
  }

  /** Sends the answer; while the call is parked, keeps it until the client comes back. */
  finish(answer: WriteAnswer): void {
    const output = this.#output;
    if (output === undefined) {
      this.#answer = answer;
      return;
    }
    this.#output = undefined;
    answer(output, this.#idText);
    this.end();
  }

  ask(serverRequest: ServerRequest, call: Call | undefined): void {
    const refusal = prepareServerRequest(
      serverRequest,
      call !== undefined,
      this.#options.isTransparent,
    );
    const { capabilities, isShared } = this.#options;
    const { method, request } = serverRequest;
    const excluded = isShared && refusalByCapabilities(capabilities, method, request.params);
    if (refusal !== undefined) serverRequest.refuse(refusal);
    else if (excluded) serverRequest.refuse(excluded);
    else if (!this.#questions.add(serverRequest, call)) serverRequest.refuseMethod();
    // Questions asked at the same time are sent to the client together.
    else if (this.#output !== undefined) queueMicrotask(() => this.#park());
  }

  /** The server no longer wants an answer. */
  withdraw(from: RequestSource, requestId: unknown): void {
    this.#questions.withdraw(from, requestId);
  }

  /** The client came back with answers, under a new request. */
  resume(request: IncomingRequest, output: ClientOutput, onEnded: () => void): void {
    this.#idText = request.idText;
    this.#onEnded = onEnded;
    this.#output = output;
    for (const textOf of this.#missed.splice(0)) this.#send(textOf());
    this.#questions.answer(request);
    if (this.#answer !== undefined) this.finish(this.#answer);
    else if (this.#questions.size > 0) this.#park();
  }

  /** The client gave its request up, so it gets no answer. */
  disconnect(): void {
    this.#output = undefined;
  }

  end(): void {
    this.#questions.close();
    this.#options.onFinished();
    this.#onEnded();
  }

  #park(): void {
    const output = this.#output;
    if (output === undefined || this.#questions.size === 0) return;
    this.#output = undefined;
    const requestState = JSON.stringify(this.#options.park());
    const result = `{"resultType":"input_required","inputRequests":${this.#questions.text},"requestState":${requestState}}`;
    output.reply(this.#idText, resultText(this.#idText, result));
    this.#onEnded();
  }

  #send(text: string | undefined): void {
    if (text !== undefined) this.#output?.send(text, this.#idText);
  }
}
