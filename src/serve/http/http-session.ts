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
import { newSession } from "../front.ts";
import type { Session } from "../legacy/session.ts";
import type { Endpoint } from "./doors.ts";
import { EventStream } from "./event-stream.ts";
import { UnsolicitedMessages } from "./mailbox.ts";
import { type PostReply, errorCodeOf } from "./post-reply.ts";
import type { KeepAlive } from "./pulse.ts";

const ID_BYTES = 16;

/** A client of the legacy era: its session, and the responses through which it can be reached. */
export class ClientHttpSession implements ClientOutput {
  readonly id = randomBytes(ID_BYTES).toString("hex");
  readonly endpoint: Endpoint;
  readonly session: Session;
  lastUsed = performance.now();
  /** How many requests came after `initialize`. */
  requests = 0;
  /** True once `initialize` has been answered well, and with it the client told its id. */
  isInitialized = false;
  /**
   * The responses that wait for an answer, by the id of the request. Undefined where the client has
   * hung up: to a legacy client that is not the end of the call, so the id is still taken.
   */
  readonly #replies = new Map<string, PostReply | undefined>();
  readonly #unsolicited = new UnsolicitedMessages();
  readonly #keepAlive: KeepAlive;

  constructor(workbench: Workbench, endpoint: Endpoint, keepAlive: KeepAlive) {
    this.endpoint = endpoint;
    this.#keepAlive = keepAlive;
    this.session = newSession(workbench, endpoint.view, this, this.id);
  }

  /** True while the client is connected in some way. */
  get inUse(): boolean {
    if (this.#unsolicited.open) return true;
    for (const reply of this.#replies.values()) if (reply?.open) return true;
    return false;
  }

  /** True as long as a request with this id has not been answered. */
  awaits(idText: string): boolean {
    return this.#replies.has(idText);
  }

  request(request: IncomingRequest, reply: PostReply): void {
    this.#replies.set(request.idText, reply);
    if (this.isInitialized) this.requests++;
    this.session.request(request);
  }

  notification(notification: IncomingNotification): void {
    this.session.notification(notification);
    if (notification.method === "notifications/cancelled") this.#onCancelled(notification.params);
  }

  /** The client hung up while it waited for these answers. */
  onDisconnect(idTexts: readonly string[]): void {
    this.lastUsed = performance.now();
    for (const idText of idTexts)
      if (this.#replies.has(idText)) this.#replies.set(idText, undefined);
  }

  /** Opens the stream for what is said outside of answers; false if it is open already. */
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
    // Nobody can ask for anything else before, so the first good answer is the one to `initialize`.
    this.isInitialized ||= errorCodeOf(message, idText) === undefined;
    reply?.reply(idText, message);
  }

  send(message: string, about: string | undefined): void {
    const sent = about !== undefined && this.#replies.get(about)?.send(message) === true;
    if (!sent) this.#unsolicited.send(message);
  }

  /** Ends the session; whoever still waits is told why. */
  close(reason: WorkbenchError = workbenchError("SESSION_NOT_FOUND", {})): void {
    this.session.close();
    for (const [idText, reply] of this.#replies)
      reply?.reply(idText, errorText(idText, reason.rpcError));
    this.#replies.clear();
    this.#unsolicited.close();
  }

  /** The client no longer wants an answer, so its request ends without one. */
  #onCancelled(params: JsonObject): void {
    const idText = JSON.stringify(params["requestId"]);
    if (idText === undefined || !this.isInitialized) return;
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
