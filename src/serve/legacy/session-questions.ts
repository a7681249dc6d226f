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
  /** Begins the id of every request. */
  readonly #ids: string;
  readonly #open = new Map<string, ServerRequest>();
  #next = 1;

  constructor(output: ClientOutput, ids = "workbench") {
    this.#output = output;
    this.#ids = ids;
  }

  /** Sends the request; `about` is the id of the call that caused it, as JSON. */
  ask(serverRequest: ServerRequest, about: string | undefined): void {
    this.elicitations.add(serverRequest.from.place, serverRequest.request.params);
    const refusal = this.tasks.refusalOf(serverRequest);
    if (refusal !== undefined) {
      serverRequest.refuse(refusal);
      return;
    }
    const id = `${this.#ids}-${this.#next++}`;
    this.#open.set(id, serverRequest);
    serverRequest.withdrawn = (reason) => this.#drop(id, reason, about);
    this.#output.send(serverRequest.withId(JSON.stringify(id)), about);
  }

  answered(response: IncomingResponse, text: string): void {
    const serverRequest = this.#open.get(String(response.id));
    this.#open.delete(String(response.id));
    if (serverRequest === undefined) return;
    serverRequest.answerWith(this.tasks.answered(serverRequest, response, text));
  }

  /** The client will not answer. */
  refuse(id: RequestId, error: RpcError): void {
    const serverRequest = this.#open.get(String(id));
    this.#open.delete(String(id));
    serverRequest?.refuse(error);
  }

  /** The client's progress on a request; its token is the id of the request. */
  progressed(notification: IncomingNotification): void {
    const { progressToken: token } = notification.params;
    if (typeof token === "string") this.#open.get(token)?.progressed(notification);
  }

  /** A server cancelled the request. */
  withdraw(from: RequestSender, requestId: unknown, reason: unknown): void {
    for (const serverRequest of this.#open.values())
      if (serverRequest.from === from && serverRequest.request.id === requestId)
        serverRequest.withdraw(reason);
  }

  close(): void {
    for (const serverRequest of this.#open.values())
      serverRequest.refuse({ code: RPC.internal, message: "The client has disconnected" });
    this.#open.clear();
  }

  /** Notifies the client, on the stream of the request, that the request is cancelled. */
  #drop(id: string, reason: unknown, about: string | undefined): void {
    this.#open.delete(id);
    const params = { requestId: id, reason };
    this.#output.send(notificationText("notifications/cancelled", params), about);
  }
}
