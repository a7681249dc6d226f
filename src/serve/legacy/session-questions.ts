import { RPC } from "../../errors.ts";
import type { Call } from "../../relay/call.ts";
import type { Question, Questioner } from "../../relay/question.ts";
import {
  type IncomingResponse,
  type JsonObject,
  type RequestId,
  type RpcError,
  notificationText,
} from "../../wire/messages.ts";
import type { ClientOutput } from "../client-output.ts";

interface Asked {
  readonly question: Question;
  /** The call that goes on with the answer, for a question that is asked on its behalf. */
  readonly onBehalfOf: Call | undefined;
}

/** The questions of servers that a legacy client has been asked and has not answered yet. */
export class SessionQuestions {
  readonly #output: ClientOutput;
  readonly #open = new Map<string, Asked>();
  #next = 1;

  constructor(output: ClientOutput) {
    this.#output = output;
  }

  /** Asks the client, on the stream of the call that caused the question. */
  ask(question: Question, call: Call | undefined, onBehalfOf?: Call): void {
    const id = `workbench-${this.#next++}`;
    this.#open.set(id, { question, onBehalfOf });
    question.withdrawn = (reason) => this.#drop(id, reason, call?.callerId);
    this.#output.send(question.withId(JSON.stringify(id)), call?.callerId);
  }

  answered(response: IncomingResponse, text: string): void {
    const asked = this.#open.get(String(response.id));
    if (asked === undefined) return;
    this.#open.delete(String(response.id));
    asked.question.answerWith(text);
  }

  /** There is no answer to be had from the client. */
  refuse(id: RequestId, error: RpcError): void {
    const asked = this.#open.get(String(id));
    this.#open.delete(String(id));
    asked?.question.refuse(error);
  }

  /** The client tells how far it is with a question; its token there is the id of the question. */
  progressed(params: JsonObject): void {
    const { progressToken: token } = params;
    if (typeof token === "string") this.#open.get(token)?.question.progressed(params);
  }

  /** A server no longer wants to know. */
  withdraw(from: Questioner, requestId: unknown, reason: unknown): void {
    for (const { question } of this.#open.values())
      if (question.from === from && question.request.id === requestId) question.withdraw(reason);
  }

  /** The client has given a call up: what it was asked for that need not be answered. */
  withdrawFor(call: Call): void {
    for (const { question, onBehalfOf } of this.#open.values())
      if (onBehalfOf === call) question.withdraw("the request was cancelled");
  }

  close(): void {
    for (const { question } of this.#open.values())
      question.refuse({ code: RPC.internal, message: "The client has disconnected" });
    this.#open.clear();
  }

  /** Tells the client, where it was asked, that no answer is wanted any more. */
  #drop(id: string, reason: unknown, about: string | undefined): void {
    this.#open.delete(id);
    const params = { requestId: id, reason };
    this.#output.send(notificationText("notifications/cancelled", params), about);
  }
}
