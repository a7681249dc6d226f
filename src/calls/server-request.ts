import type { Questions } from "../config/types.ts";
import { RPC } from "../errors.ts";
import { shownName } from "../text/shown-name.ts";
import { memberText, withMembers, replaceMember } from "../wire/members.ts";
import {
  type IncomingNotification,
  type IncomingRequest,
  type RpcError,
  errorText,
  isObject,
  progressText,
  resultText,
  writtenMeta,
} from "../wire/messages.ts";

/** A server as the sender of requests to clients. */
export interface RequestSource {
  readonly place: { readonly toolbox: string; readonly server: string };
  /** The server's setting `questions`. */
  readonly mayAsk: Questions;
}

/** The connection a request came from. */
export interface RequestSender extends RequestSource {
  send(message: string): void;
}

/** A server's request to a client. The first answer counts; later ones are dropped. */
export class ServerRequest {
  readonly request: IncomingRequest;
  readonly from: RequestSender;
  /** The parameters for the client, as JSON; initially those of the server. */
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

  /** Whether the server waits for an answer. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** Called once, when the request has been answered in any way, with the answer if there is one. */
  settled: ((answer?: string) => void) | undefined;

  /** Called once, if the server cancels the request or is gone. */
  withdrawn: ((reason: unknown) => void) | undefined;

  /** The server's token for progress notifications, as JSON, if any. */
  get progressToken(): string | undefined {
    const { params } = this.request;
    // Most requests have none, and their text may be long.
    if (!isObject(params["_meta"])) return undefined;
    return memberText(writtenMeta(this.request), "progressToken");
  }

  /**
   * The request as a message, byte for byte, with a new id. The id also serves as the progress
   * token, because several servers may use the same token.
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

  /** Forwards the client's progress to the server. */
  progressed(notification: IncomingNotification): void {
    const token = this.#open ? this.progressToken : undefined;
    if (token !== undefined) this.from.send(progressText(notification, token));
  }

  /** Forwards a client's response, given as the text of the message. */
  answerWith(response: string): void {
    this.#answer(withMembers(response, { id: this.request.idText }));
  }

  /** Answers with a result that is JSON text. */
  answer(result: string): void {
    this.#answer(resultText(this.request.idText, result));
  }

  /** Drops the request: the server no longer waits for an answer. */
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
    this.refuse({
      code: RPC.methodNotFound,
      message: `Method not found: ${shownName(this.method)}`,
    });
  }

  #answer(message: string): void {
    if (!this.#open) return;
    this.#open = false;
    this.from.send(message);
    this.settled?.(message);
  }
}
