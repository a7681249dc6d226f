import { randomBytes } from "node:crypto";
import type { ServerResponse as HttpResponse } from "node:http";

import { type WorkbenchError, workbenchError } from "../../errors.ts";
import {
  type IncomingNotification,
  type IncomingRequest,
  type JsonObject,
  errorText,
} from "../../wire/messages.ts";
import type { ServerResponse } from "../../wire/response.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientOutput } from "../client-output.ts";
import { newSession } from "../client-factory.ts";
import type { Session } from "../legacy/session.ts";
import type { Endpoint } from "./endpoints.ts";
import { EventStream } from "./event-stream.ts";
import { UnsolicitedMessages } from "./unsolicited-messages.ts";
import { type PostReply, errorCodeOf } from "./post-reply.ts";
import type { KeepAlive } from "./keep-alive.ts";

const ID_BYTES = 16;

/** A legacy client: its session, and the open responses through which it can be reached. */
export class ClientHttpSession implements ClientOutput {
  readonly id = randomBytes(ID_BYTES).toString("hex");
  readonly endpoint: Endpoint;
  readonly session: Session;
  lastUsed = performance.now();
  /** True once a request followed `initialize`. */
  wasUsed = false;
  /** True once the client has sent `notifications/initialized`. */
  isInitialized = false;
  /** True once `initialize` was answered without error, so that the client knows its session id. */
  isIntroduced = false;
  /**
   * The open responses, by request id. Undefined if the client has disconnected: for a legacy client
   * that does not cancel the call, so the id is still in use.
   */
  readonly #replies = new Map<string, PostReply | undefined>();
  readonly #unsolicited = new UnsolicitedMessages();
  readonly #keepAlive: KeepAlive;

  constructor(workbench: Workbench, endpoint: Endpoint, keepAlive: KeepAlive) {
    this.endpoint = endpoint;
    this.#keepAlive = keepAlive;
    this.session = newSession(workbench, endpoint.view, this, {
      owner: this.id,
      principal: endpoint.principal,
    });
  }

  /** True while the client is connected in some way. */
  get inUse(): boolean {
    if (this.#unsolicited.open) return true;
    for (const reply of this.#replies.values()) if (reply?.open) return true;
    return false;
  }

  /** True while a request with this id is unanswered. */
  awaits(idText: string): boolean {
    return this.#replies.has(idText);
  }

  request(request: IncomingRequest, reply: PostReply): void {
    this.#replies.set(request.idText, reply);
    this.wasUsed ||= this.isIntroduced;
    this.session.caller.call(request);
  }

  notification(notification: IncomingNotification): void {
    this.isInitialized ||= notification.method === "notifications/initialized";
    this.session.notification(notification);
    if (notification.method === "notifications/cancelled") this.#onCancelled(notification.params);
  }

  /** The client disconnected before these requests were answered. */
  onDisconnect(idTexts: readonly string[]): void {
    this.lastUsed = performance.now();
    for (const idText of idTexts)
      if (this.#replies.has(idText)) this.#replies.set(idText, undefined);
  }

  /** Opens the stream for unsolicited messages; false if it is open already. */
  listen(response: HttpResponse): boolean {
    if (this.#unsolicited.open) return false;
    const stream = new EventStream(response);
    this.#keepAlive.add(stream);
    response.once("close", () => {
      this.#keepAlive.remove(stream);
      this.lastUsed = performance.now();
    });
    this.#unsolicited.attach(stream);
    return true;
  }

  answer(idText: string, response: ServerResponse, insert?: string): void {
    this.#take(idText)?.answer(idText, response, insert);
  }

  reply(idText: string, message: string): void {
    const reply = this.#take(idText);
    // No other request is accepted before, so the first result is the one of `initialize`.
    this.isIntroduced ||= errorCodeOf(message, idText) === undefined;
    reply?.reply(idText, message);
  }

  send(message: string, about: string | undefined): void {
    const sent = about !== undefined && this.#replies.get(about)?.send(message) === true;
    if (!sent) this.#unsolicited.send(message);
  }

  /** Ends the session; requests in flight are answered with the reason. */
  close(reason: WorkbenchError = workbenchError("SESSION_NOT_FOUND", {})): void {
    this.session.close();
    for (const [idText, reply] of this.#replies)
      reply?.reply(idText, errorText(idText, reason.rpcError));
    this.#replies.clear();
    this.#unsolicited.close();
  }

  /** The client has cancelled the request, so it ends without an answer. */
  #onCancelled(params: JsonObject): void {
    const idText = JSON.stringify(params["requestId"]);
    if (idText === undefined || !this.isIntroduced) return;
    this.#replies.get(idText)?.giveUp();
    this.#replies.delete(idText);
  }

  #take(idText: string): PostReply | undefined {
    const reply = this.#replies.get(idText);
    this.#replies.delete(idText);
    this.lastUsed = performance.now();
    return reply;
  }
}
