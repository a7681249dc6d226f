import { RPC } from "../errors.ts";
import { memberText, withMembers, withValue } from "../wire/members.ts";
import {
  type IncomingRequest,
  type JsonObject,
  type RpcError,
  errorText,
  isObject,
  notificationText,
} from "../wire/messages.ts";

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

  /** Called once, when the question has been answered in whatever way. */
  settled: (() => void) | undefined;

  /** Called once, if the server takes the question back or is gone. */
  withdrawn: ((reason: unknown) => void) | undefined;

  /** The token by which the server wants to hear how far the client is, if it does. */
  get progressToken(): unknown {
    const { _meta: meta } = this.request.params;
    return isObject(meta) ? meta["progressToken"] : undefined;
  }

  /**
   * The question as a message, byte for byte, under another id. That is also the token for progress,
   * since the tokens of several servers may be the same.
   */
  withId(idText: string): string {
    const { text } = this.request;
    if (this.progressToken === undefined) return withMembers(text, { id: idText });
    const params = memberText(text, "params") ?? "{}";
    const meta = withValue(memberText(params, "_meta") ?? "{}", "progressToken", idText);
    return withMembers(text, { id: idText, params: withValue(params, "_meta", meta) });
  }

  /** Tells the server how far the client is. */
  progressed(params: JsonObject): void {
    if (!this.#open || this.progressToken === undefined) return;
    const told = { ...params, progressToken: this.progressToken };
    this.from.send(notificationText("notifications/progress", told));
  }

  /** Hands on a client's response, given as the text of the message. */
  answerWith(response: string): void {
    this.#answer(withMembers(response, { id: this.request.idText }));
  }

  /** Answers with a result that is JSON text. */
  answer(result: string): void {
    this.#answer(`{"jsonrpc":"2.0","id":${this.request.idText},"result":${result}}`);
  }

  /** Nobody waits for an answer any more. */
  withdraw(reason: unknown): void {
    if (!this.#open) return;
    this.#open = false;
    this.withdrawn?.(reason);
    this.settled?.();
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
    this.settled?.();
  }
}
