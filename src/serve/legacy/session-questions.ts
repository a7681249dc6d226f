import { RPC } from "../../errors.ts";
import type { ServerRequest, RequestSender } from "../../calls/server-request.ts";
import {
  type IncomingResponse,
  type JsonObject,
  type RequestId,
  type RpcError,
  notificationText,
} from "../../wire/messages.ts";
import type { ClientOutput } from "../client-output.ts";
import { ClientTasks } from "./client-tasks.ts";
import { SessionElicitations } from "./session-elicitations.ts";

/** The questions of servers that a legacy client has been asked and has not answered yet. */
export class SessionQuestions {
  readonly tasks = new ClientTasks();
  readonly elicitations = new SessionElicitations();
  readonly #output: ClientOutput;
  readonly #open = new Map<string, ServerRequest>();
  #next = 1;

  constructor(output: ClientOutput) {
    this.#output = output;
  }

  /** Asks the client; `about` is the id of the call that caused the question, as JSON. */
  ask(question: ServerRequest, about: string | undefined): void {
    this.elicitations.add(question.from.place, question.request.params);
    const refusal = this.tasks.refusalOf(question);
    if (refusal !== undefined) {
      question.refuse(refusal);
      return;
    }
    const id = `workbench-${this.#next++}`;
    this.#open.set(id, question);
    question.withdrawn = (reason) => this.#drop(id, reason, about);
    this.#output.send(question.withId(JSON.stringify(id)), about);
  }

  answered(response: IncomingResponse, text: string): void {
    const question = this.#open.get(String(response.id));
    this.#open.delete(String(response.id));
    if (question === undefined) return;
    question.answerWith(this.tasks.answered(question, response, text));
  }

  /** There is no answer to be had from the client. */
  refuse(id: RequestId, error: RpcError): void {
    const question = this.#open.get(String(id));
    this.#open.delete(String(id));
    question?.refuse(error);
  }

  /** The client tells how far it is with a question; its token there is the id of the question. */
  progressed(params: JsonObject): void {
    const { progressToken: token } = params;
    if (typeof token === "string") this.#open.get(token)?.progressed(params);
  }

  /** A server no longer wants to know. */
  withdraw(from: RequestSender, requestId: unknown, reason: unknown): void {
    for (const question of this.#open.values())
      if (question.from === from && question.request.id === requestId) question.withdraw(reason);
  }

  close(): void {
    for (const question of this.#open.values())
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
