import { OWNER_PRINCIPAL } from "../../calls/principal.ts";
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
import type { Door } from "./doors.ts";
import { EventStream } from "./event-stream.ts";
import { Mailbox } from "./mailbox.ts";
import { type PostReply, errorCodeOf } from "./post-reply.ts";
import type { Pulse } from "./pulse.ts";

const ID_BYTES = 16;

/** A client of the legacy era: its session, and the responses through which it can be reached. */
export class HttpSession implements ClientOutput {
  readonly id = randomBytes(ID_BYTES).toString("hex");
  readonly door: Door;
  readonly session: Session;
  lastUsed = performance.now();
  /** True once a request came after `initialize`. */
  wasUsed = false;
  /** True once the client has said that it is initialized. */
  isInitialized = false;
  /** True once `initialize` has been answered well, and with it the client told its id. */
  introduced = false;
  /**
   * The responses that wait for an answer, by the id of the request. Undefined where the client has
   * hung up: to a legacy client that is not the end of the call, so the id is still taken.
   */
  readonly #replies = new Map<string, PostReply | undefined>();
  readonly #mailbox = new Mailbox();
  readonly #pulse: Pulse;

  constructor(workbench: Workbench, door: Door, pulse: Pulse) {
    this.door = door;
    this.#pulse = pulse;
    this.session = newSession(workbench, door.view, this, {
      owner: this.id,
      principal: OWNER_PRINCIPAL,
    });
  }

  /** True while the client is connected in some way. */
  get inUse(): boolean {
    if (this.#mailbox.open) return true;
    for (const reply of this.#replies.values()) if (reply?.open) return true;
    return false;
  }

  /** True as long as a request with this id has not been answered. */
  awaits(idText: string): boolean {
    return this.#replies.has(idText);
  }

  request(request: IncomingRequest, reply: PostReply): void {
    this.#replies.set(request.idText, reply);
    this.wasUsed ||= this.introduced;
    this.session.request(request);
  }

  notification(notification: IncomingNotification): void {
    this.isInitialized ||= notification.method === "notifications/initialized";
    this.session.notification(notification);
    if (notification.method === "notifications/cancelled") this.#cancelled(notification.params);
  }

  /** The client hung up while it waited for these answers. */
  hungUp(idTexts: readonly string[]): void {
    this.lastUsed = performance.now();
    for (const idText of idTexts)
      if (this.#replies.has(idText)) this.#replies.set(idText, undefined);
  }

  /** Opens the stream for what is said outside of answers; false if it is open already. */
  listen(response: HttpResponse): boolean {
    if (this.#mailbox.open) return false;
    const stream = new EventStream(response);
    this.#pulse.add(stream);
    response.once("close", () => {
      this.#pulse.remove(stream);
      this.lastUsed = performance.now();
    });
    this.#mailbox.attach(stream);
    return true;
  }

  answer(idText: string, response: ServerResponse, insert?: string): void {
    this.#take(idText)?.answer(idText, response, insert);
  }

  reply(idText: string, message: string): void {
    const reply = this.#take(idText);
    // Nobody can ask for anything else before, so the first good answer is the one to `initialize`.
    this.introduced ||= errorCodeOf(message, idText) === undefined;
    reply?.reply(idText, message);
  }

  send(message: string, about: string | undefined): void {
    const sent = about !== undefined && this.#replies.get(about)?.send(message) === true;
    if (!sent) this.#mailbox.send(message);
  }

  /** Ends the session; whoever still waits is told why. */
  close(reason: WorkbenchError = workbenchError("SESSION_NOT_FOUND", {})): void {
    this.session.close();
    for (const [idText, reply] of this.#replies)
      reply?.reply(idText, errorText(idText, reason.rpcError));
    this.#replies.clear();
    this.#mailbox.close();
  }

  /** The client no longer wants an answer, so its request ends without one. */
  #cancelled(params: JsonObject): void {
    const idText = JSON.stringify(params["requestId"]);
    if (idText === undefined || !this.introduced) return;
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
