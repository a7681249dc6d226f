import type { Call } from "../../calls/call.ts";
import {
  type DeliveryFailure,
  inexactError,
  mishandledError,
  undeliverableError,
} from "../../calls/call-errors.ts";
import type { PendingCalls } from "../../calls/pending-calls.ts";
import { receive } from "../../calls/dispatch.ts";
import { complete } from "../../calls/settle.ts";
import { subscriptionOf } from "../../protocol/envelope.ts";
import type { Line } from "../../wire/lines.ts";
import type { IncomingNotification, JsonObject } from "../../wire/messages.ts";
import { type ServerResponse, readServerLine } from "../../wire/response.ts";
import type { Authorization } from "../transport/authorization.ts";
import type { ChannelEvents } from "../transport/channel.ts";
import type { RetryAfter } from "../transport/retry-after.ts";
import type { ConnectionEvents, ConnectionOwner } from "./connection-owner.ts";
import {
  type UnreadMessage,
  answeredId,
  excessiveMessage,
  isAnswer,
  oversizedMessage,
} from "./unread.ts";
import { type InputSource, UnreadableInput } from "./unreadable-input.ts";

/** The connection whose messages are read. */
export interface ReadConnection extends InputSource {
  readonly calls: PendingCalls;
  readonly hello: { readonly capabilities: JsonObject };
  readonly catalogue: { ownSchemaOf(tool: string): unknown };
}

/**
 * Reads what a server sends: answers go to their calls, notifications and requests to the owner of
 * the connection, and what cannot be read is reported.
 */
export class ConnectionInput implements ChannelEvents {
  readonly #connection: ReadConnection;
  readonly #owner: ConnectionOwner;
  readonly #events: ConnectionEvents;
  readonly #unreadable: UnreadableInput;

  constructor(connection: ReadConnection, owner: ConnectionOwner, events: ConnectionEvents) {
    this.#connection = connection;
    this.#owner = owner;
    this.#events = events;
    this.#unreadable = new UnreadableInput(connection, owner.host);
  }

  /** Whatever a server sends and whatever it leads to, an exception must not reach anyone else. */
  onLine(line: Line, about?: Call): void {
    try {
      this.#read(line, about);
    } catch (error) {
      this.#unreadable.reportMishandled(error);
    }
  }

  /** On the stream of a call nothing follows a message that was too large. */
  onOversized(head: Buffer, bytes: number, about?: Call, tail?: Buffer): void {
    const limit = this.#owner.settings.limits.messageBytes;
    this.#dropUnread(oversizedMessage(this.#connection.place, limit, head, bytes, tail), about);
  }

  onUndeliverable(call: Call, failure: DeliveryFailure): void {
    if (!this.isAwaited(call)) return;
    const error = undeliverableError(call, this.#connection.place, failure);
    this.#connection.calls.failSent(call.id, error);
  }

  /** A server whose session was renewed may offer other things than before. */
  onRenewed(): void {
    for (const list of ["tools", "prompts", "resources"]) {
      const method = `notifications/${list}/list_changed`;
      if (this.#connection.hello.capabilities[list] !== undefined)
        this.#events.onNotification({ method, params: {} }, undefined);
    }
  }

  onLost(reason: string, code?: string): void {
    this.#events.onLost(reason, code);
  }

  isAwaited(call: Call): boolean {
    return this.#connection.calls.isAwaited(call);
  }

  get retryAfter(): RetryAfter {
    return this.#owner.failures.retryAfter;
  }

  get authorization(): Authorization | undefined {
    return this.#owner.signIn;
  }

  inputSchemaOf(tool: string): unknown {
    return this.#connection.catalogue.ownSchemaOf(tool);
  }

  #read(line: Line, about: Call | undefined): void {
    const { calls, place } = this.#connection;
    const message = readServerLine(line);
    switch (message.kind) {
      case "answer":
        return this.#onAnswer(message.response);
      case "notification":
        return this.#onNotification(message.notification, about);
      case "request":
        return this.#events.onRequest(message.request, about);
      case "excessive": {
        const unread = excessiveMessage(place, message, line.bytes);
        return this.#dropUnread(unread, isAnswer(unread) === true ? about : undefined);
      }
      case "inexact":
        // A server's mistakes may only affect its own calls.
        for (const id of message.ids) calls.failSent(id, inexactError(place, message.reason));
        return;
      case "invalid":
        return this.#unreadable.refuseInvalid(message, line);
      default:
        this.#unreadable.reportUnreadable(line);
    }
  }

  #onAnswer(response: ServerResponse): void {
    const call = this.#connection.calls.takeSent(response.id);
    if (call === undefined) return;
    if (this.#owner.failures.callsFail) this.#owner.failures.callAnswered(call);
    try {
      receive(call, response);
    } catch (error) {
      this.#unreadable.reportMishandled(error);
      const failed = mishandledError(call, this.#connection.place, error);
      complete(call, { kind: "failure", error: failed });
    }
  }

  #onNotification(notification: IncomingNotification, about: Call | undefined): void {
    const { calls } = this.#connection;
    const subscription = subscriptionOf(notification.params);
    if (subscription !== undefined) calls.onStreamNotification(subscription, notification);
    else if (notification.method === "notifications/progress") calls.onProgress(notification);
    else this.#events.onNotification(notification, about);
  }

  /**
   * A dropped answer belongs to the call whose id is at one of its ends. If there is no id, it can
   * only belong to the single running call.
   */
  #dropUnread(message: UnreadMessage, about: Call | undefined): void {
    const { calls } = this.#connection;
    const isOne = isAnswer(message);
    if (isOne === false) {
      this.#unreadable.refuseUnread(message);
      if (about === undefined) return;
    }
    const id = about?.id ?? answeredId(message) ?? (isOne ? calls.onlySentId : undefined);
    if (id !== undefined) calls.failSent(id, message.error);
  }
}
