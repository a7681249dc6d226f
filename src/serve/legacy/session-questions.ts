import { RPC } from "../../errors.ts";
import type { ServerRequest, RequestSender } from "../../calls/server-request.ts";
import {
  type IncomingNotification,
  type IncomingResponse,
  type RequestId,
  type RpcError,
  notificationText,
} from "../../wire/messages.ts";
import type { ClientOutput } from "../client-output.ts";
import { ClientTasks } from "./client-tasks.ts";
import { SessionElicitations } from "./session-elicitations.ts";

/** The requests of servers that a legacy client has not answered yet. */
export class SessionQuestions {
  readonly tasks = new ClientTasks();
  readonly elicitations = new SessionElicitations();
  readonly #output: ClientOutput;
  readonly #open = new Map<string, ServerRequest>();
  #next = 1;

  constructor(output: ClientOutput) {
    this.#output = output;
  }

  /** Sends the request; `about` is the id of the call that caused it, as JSON. */
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

  /** The client will not answer. */
  refuse(id: RequestId, error: RpcError): void {
    const question = this.#open.get(String(id));
    this.#open.delete(String(id));
    question?.refuse(error);
  }

  /** The client's progress on a request; its token is the id of the request. */
  progressed(notification: IncomingNotification): void {
    const { progressToken: token } = notification.params;
    if (typeof token === "string") this.#open.get(token)?.progressed(notification);
  }

  /** A server cancelled the request. */
  withdraw(from: RequestSender, requestId: unknown, reason: unknown): void {
    for (const question of this.#open.values())
      if (question.from === from && question.request.id === requestId) question.withdraw(reason);
  }

  close(): void {
    for (const question of this.#open.values())
      question.refuse({ code: RPC.internal, message: "The client has disconnected" });
    this.#open.clear();
  }

  /** Notifies the client, on the stream of the request, that the request is cancelled. */
  #drop(id: string, reason: unknown, about: string | undefined): void {
    this.#open.delete(id);
    const params = { requestId: id, reason };
    this.#output.send(notificationText("notifications/cancelled", params), about);
  }
}
