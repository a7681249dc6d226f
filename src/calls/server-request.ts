import type { Questions } from "../config/types.ts";
import { RPC } from "../errors.ts";
import { memberText, withMembers, replaceMember } from "../wire/members.ts";
import {
  type IncomingRequest,
  type JsonObject,
  type RpcError,
  errorText,
  isObject,
  notificationText,
} from "../wire/messages.ts";

/** A server as the source of requests to clients. */
export interface RequestSource {
  readonly place: { readonly toolbox: string; readonly server: string };
  /** The server's setting `questions`. */
  readonly mayAsk: Questions;
}

/** The connection a question came from. */
export interface RequestSender extends RequestSource {
  send(message: string): void;
}

/** What a server asks of a client. Answered once; what comes after is dropped. */
export class ServerRequest {
  readonly request: IncomingRequest;
  readonly from: RequestSender;
  /** The parameters as the client is to see them, as JSON; as the server wrote them at first. */
  params: string;
  #open = true;

  constructor(request: IncomingRequest, from: RequestSender) {
    this.request = request;
    this.from = from;
    this.params = memberText(request.text, "params") ?? "{}";
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
    const changes: Record<string, string> = { id: idText };
    if (this.params !== "{}") changes["params"] = this.params;
    if (this.progressToken !== undefined) {
      const meta = replaceMember(memberText(this.params, "_meta") ?? "{}", "progressToken", idText);
      changes["params"] = replaceMember(this.params, "_meta", meta);
    }
    return withMembers(text, changes);
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
