import { RPC } from "../errors.ts";
import type { Call } from "../relay/call.ts";
import type { Question, Questioner } from "../relay/question.ts";
import { type IncomingResponse, notificationText } from "../wire/messages.ts";
import type { ClientOutput } from "./client-output.ts";

/** The questions of servers that a legacy client has been asked and has not answered yet. */
export class SessionQuestions {
  readonly #output: ClientOutput;
  readonly #open = new Map<string, Question>();
  #next = 1;

  constructor(output: ClientOutput) {
    this.#output = output;
  }

  /** Asks the client, on the stream of the call that caused the question. */
  ask(question: Question, call: Call | undefined): void {
    const id = `workbench-${this.#next++}`;
    this.#open.set(id, question);
    this.#output.send(question.withId(JSON.stringify(id)), call?.callerId);
  }

  answered(response: IncomingResponse, text: string): void {
    const question = this.#open.get(String(response.id));
    if (question === undefined) return;
    this.#open.delete(String(response.id));
    question.answerWith(text);
  }

  /** A server no longer wants to know. */
  withdraw(from: Questioner, requestId: unknown, reason: unknown): void {
    for (const [id, question] of this.#open) {
      if (question.from !== from || question.request.id !== requestId) continue;
      this.#open.delete(id);
      const params = { requestId: id, reason };
      this.#output.send(notificationText("notifications/cancelled", params), undefined);
    }
  }

  close(): void {
    for (const question of this.#open.values())
      question.refuse({ code: RPC.internal, message: "The client has disconnected" });
    this.#open.clear();
  }
}
