import { randomBytes } from "node:crypto";

import { RequestTable } from "../../calls/request-table.ts";
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
import type { Connections } from "./connections.ts";
import { type PostReply, errorCodeOf } from "./post-reply.ts";
import type { SessionRecord } from "./session-record.ts";
import { SessionStreams } from "./session-streams.ts";

const ID_BYTES = 16;

/**
 * The client has disconnected and cannot continue the response. For a legacy client that does not cancel the call, so the id
 * is still in use.
 */
const DISCONNECTED = "disconnected";

/** How a client names its session, and how the workbench does. */
export interface SessionIdentity {
  readonly id: string;
  readonly uid: string;
}

/** A session that only this process knows. */
export function newIdentity(): SessionIdentity {
  const id = randomBytes(ID_BYTES).toString("hex");
  return { id, uid: id };
}

/** A legacy client: its session, and the open responses through which it can be reached. */
export class ClientHttpSession implements ClientOutput {
  readonly id: string;
  readonly uid: string;
  readonly endpoint: Endpoint;
  readonly session: Session;
  readonly streams: SessionStreams;
  lastUsed = performance.now();
  /** True once a request followed `initialize`. */
  wasUsed = false;
  /** True once the client has sent `notifications/initialized`. */
  isInitialized = false;
  /** True once `initialize` was answered without error, so that the client knows its session id. */
  isIntroduced = false;
  /** The open responses, by request id. */
  readonly #replies = new RequestTable<PostReply | typeof DISCONNECTED>();

  /** Follows what changes in the session, so that another replica can continue it; undefined without replicas. */
  readonly record: SessionRecord | undefined;

  constructor(
    workbench: Workbench,
    endpoint: Endpoint,
    connections: Connections,
    { id, uid }: SessionIdentity = newIdentity(),
    record?: SessionRecord,
  ) {
    this.id = id;
    this.uid = uid;
    this.record = record;
    this.endpoint = endpoint;
    const onClosed = (): void => void (this.lastUsed = performance.now());
    this.streams = new SessionStreams(connections, onClosed, {
      namesRequests: record !== undefined,
    });
    this.session = newSession(workbench, endpoint.view, this, {
      owner: uid,
      principal: endpoint.principal,
      // The answers to what another replica asked must not be taken for answers to this one.
      ...(record && { questionIds: `workbench-${randomBytes(4).toString("hex")}` }),
    });
  }

  /** True while the client is connected in some way. */
  get inUse(): boolean {
    if (this.streams.isListening) return true;
    return this.#replies.values().some((reply) => reply !== DISCONNECTED && reply.isConnected);
  }

  /** True while a request with this id is unanswered; any request, if no id is given. */
  awaits(idText?: string): boolean {
    return idText === undefined ? this.#replies.size > 0 : this.#replies.get(idText) !== undefined;
  }

  request(request: IncomingRequest, reply: PostReply): void {
    this.#replies.set(request.idText, reply);
    this.record?.onRequest(request);
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
      if (this.#replyTo(idText)?.open === false) this.#replies.set(idText, DISCONNECTED);
  }

  answer(idText: string, response: ServerResponse, insert?: string): void {
    this.record?.onAnswer(idText, response.isError);
    this.#take(idText)?.answer(idText, response, insert);
  }

  reply(idText: string, message: string): void {
    this.record?.onAnswer(idText, errorCodeOf(message, idText) !== undefined);
    const reply = this.#take(idText);
    // No other request is accepted before, so the first result is the one of `initialize`.
    if (!this.isIntroduced && errorCodeOf(message, idText) === undefined) {
      this.isIntroduced = true;
      this.streams.setVersion(this.session.protocolVersion);
    }
    reply?.reply(idText, message);
  }

  send(message: string, about: string | undefined): void {
    const sent = about !== undefined && this.#replyTo(about)?.send(message) === true;
    if (!sent) this.streams.sendUnsolicited(message);
  }

  /** Ends the session; requests in flight are answered with the reason. */
  close(reason: WorkbenchError = workbenchError("SESSION_NOT_FOUND", {})): void {
    this.session.close();
    for (const [idText, reply] of this.#replies.entries())
      if (reply !== DISCONNECTED) reply.reply(idText, errorText(idText, reason.rpcError));
    this.#replies.clear();
    this.streams.close();
  }

  /** The client has cancelled the request, so it ends without an answer. */
  #onCancelled(params: JsonObject): void {
    const idText = JSON.stringify(params["requestId"]);
    if (idText === undefined || !this.isIntroduced) return;
    this.#replyTo(idText)?.giveUp();
    this.#replies.delete(idText);
  }

  #replyTo(idText: string): PostReply | undefined {
    const reply = this.#replies.get(idText);
    return reply === DISCONNECTED ? undefined : reply;
  }

  #take(idText: string): PostReply | undefined {
    const reply = this.#replyTo(idText);
    this.#replies.delete(idText);
    this.lastUsed = performance.now();
    return reply;
  }
}
