import type { Route } from "../../calls/call.ts";
import type { ServerRef } from "../../calls/identifier.ts";
import { type EndReason, PendingCalls } from "../../calls/pending-calls.ts";
import { RunningTasks } from "../../calls/tasks.ts";
import type { Questions } from "../../config/types.ts";
import type { JsonObject } from "../../wire/messages.ts";
import { type ServerHello, NOT_CONNECTED } from "../handshake/server-hello.ts";
import { Catalogue } from "../tools/catalogue.ts";
import { type Channel, NO_CHANNEL } from "../transport/channel.ts";
import { CRASH_LINES, reasonLines, shownLines } from "../transport/stdio/stderr-tail.ts";
import { ConnectionClients } from "./connection-clients.ts";
import { ConnectionInput } from "./connection-input.ts";
import type { ConnectionEvents, ConnectionOwner } from "./connection-owner.ts";

const STDERR_LINES = 5;
/** The number of messages of maximum size that the server may leave unread. */
const UNREAD_MESSAGES = 4;

/** One live connection to a server, from before its channel is open until it is closed. */
export class Connection implements Route {
  readonly place: ServerRef;
  /** The server's description of itself; set once the handshake is done. */
  hello: ServerHello = NOT_CONNECTED;
  catalogue = Catalogue.EMPTY;
  /** Why the server's tools could not be listed; undefined if they could. */
  toolsProblem: unknown;
  /** The envelope for requests of the workbench itself to a modern server. */
  envelope: JsonObject | undefined;
  /** Why the server ended the connection; undefined if it did not. */
  loss: EndReason | undefined;
  /** Called once, when the connection has ended. */
  onEnded: (() => void) | undefined;
  readonly tasks = new RunningTasks();
  readonly calls: PendingCalls;
  readonly clients: ConnectionClients;
  /** Takes what the channel receives. */
  readonly input: ConnectionInput;
  readonly #owner: ConnectionOwner;
  readonly #events: ConnectionEvents;
  #channel = NO_CHANNEL;

  constructor(owner: ConnectionOwner, events: ConnectionEvents) {
    this.#owner = owner;
    this.#events = events;
    this.place = { toolbox: owner.settings.toolbox, server: owner.settings.name };
    this.calls = new PendingCalls(this, owner, NO_CHANNEL);
    this.clients = new ConnectionClients(this);
    this.input = new ConnectionInput(this, owner, {
      onNotification: (notification, about) => events.onNotification(notification, about),
      onRequest: (request, about) => events.onRequest(request, about),
      onLost: (reason, code) => this.#onLost(reason, code),
    });
  }

  get channel(): Channel {
    return this.#channel;
  }

  async attach(channel: Channel): Promise<void> {
    this.#channel = channel;
    this.calls.attach(channel);
    if (!this.closed) return;
    await channel.close();
    throw new Error(this.loss?.[0] ?? "the connection was closed while it was being opened");
  }

  get closed(): boolean {
    return this.calls.hasEnded;
  }

  /** Whether a caller or a client waits for the server, which therefore has to stay connected. */
  get isBusy(): boolean {
    return this.calls.waiting > 0 || this.clients.keepAliveFor.size > 0 || this.tasks.any;
  }

  get mayAsk(): Questions {
    return this.#owner.settings.questions;
  }

  /** The last lines of standard error; without a count, those that may explain a failure. */
  stderrTail(count?: number): string[] {
    const { redact } = this.#owner.host;
    if (count === undefined)
      return reasonLines(redact, this.#channel.stderrTail(CRASH_LINES), STDERR_LINES);
    return shownLines(redact, this.#channel.stderrTail(2 * count), count);
  }

  /**
   * Sends a notification or a response; dropped silently if the server is gone or does not read.
   */
  send(message: string): void {
    const limit = UNREAD_MESSAGES * this.#owner.settings.limits.messageBytes;
    if (!this.closed && this.#channel.backlog <= limit) this.#channel.send(message);
  }

  async close(): Promise<void> {
    this.#end(["the connection was closed"], ["the connection is closed"]);
    await this.#channel.close();
  }

  #onLost(reason: string, code: string | undefined): void {
    const output = this.stderrTail().join(" | ");
    const explained = output === "" ? reason : `${reason}. Its last output: ${output}`;
    this.loss = [explained, code];
    this.#end(this.loss);
    this.#events.onLost(explained, code);
  }

  /** Requests of the server are withdrawn before their calls fail, so that clients see them end. */
  #end(reason: EndReason, later?: EndReason): void {
    if (this.closed) return;
    const failCalls = this.calls.end(reason, later);
    this.clients.withdrawRequests();
    failCalls();
    this.onEnded?.();
  }
}
