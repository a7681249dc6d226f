import { RPC } from "../errors.ts";
import { withMembers } from "../wire/members.ts";
import { type IncomingRequest, type RpcError, errorText } from "../wire/messages.ts";

/** The connection a question came from. */
export interface Questioner {
  send(message: string): void;
}

/** What a server asks of a client. Answered once; what comes after is dropped. */
export class Question {
  readonly request: IncomingRequest;
  readonly from: Questioner;
  #open = true;

  constructor(request: IncomingRequest, from: Questioner) {
    this.request = request;
    this.from = from;
  }

  get method(): string {
    return this.request.method;
  }

  /** The question as a message, byte for byte, under another id. */
  withId(idText: string): string {
    return withMembers(this.request.text, { id: idText });
  }

  /** Hands on a client's response, given as the text of the message. */
  answerWith(response: string): void {
    this.#answer(withMembers(response, { id: this.request.idText }));
  }

  /** Answers with a result that is JSON text. */
  answer(result: string): void {
    this.#answer(`{"jsonrpc":"2.0","id":${this.request.idText},"result":${result}}`);
  }

  refuse(error: RpcError): void {
    this.#answer(errorText(this.request.idText, error));
  }

  refuseMethod(): void {
    this.refuse({ code: RPC.methodNotFound, message: `Method not found: ${this.method}` });
  }

  #answer(message: string): void {
    if (!this.#open) return;
    this.#open = false;
    this.from.send(message);
  }
}
