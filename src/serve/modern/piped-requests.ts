import { RequestTable } from "../../calls/request-table.ts";
import type { IncomingNotification, IncomingRequest } from "../../wire/messages.ts";
import type { ClientOutput } from "../client-output.ts";
import type { Cancellable, ModernClients } from "./clients.ts";

/** The requests of the modern client at the other end of a pipe. */
export class PipedRequests {
  readonly #output: ClientOutput;
  readonly #newClients: () => ModernClients;
  #clients: ModernClients | undefined;
  readonly #ongoing = new RequestTable<Cancellable>();
  /** The ids of those that are streams of notifications. */
  readonly #streams = new Set<string>();

  constructor(output: ClientOutput, newClients: () => ModernClients) {
    this.#output = output;
    this.#newClients = newClients;
  }

  /** Whether the client waits for an answer; a stream that stays open has none. */
  get areAwaited(): boolean {
    return this.#ongoing.size > this.#streams.size;
  }

  /** Whether a call waits for the client to return with its answers. */
  get isAsked(): boolean {
    return this.#clients?.isAsked === true;
  }

  has(idText: string): boolean {
    return this.#ongoing.get(idText) !== undefined;
  }

  start(request: IncomingRequest): void {
    const { idText, method } = request;
    this.#clients ??= this.#newClients();
    let isOver = false;
    const ongoing = this.#clients.request(request, this.#output, () => {
      isOver = true;
      this.#ongoing.delete(idText);
      this.#streams.delete(idText);
    });
    if (ongoing === undefined || isOver) return;
    this.#ongoing.set(idText, ongoing);
    if (method === "subscriptions/listen") this.#streams.add(idText);
  }

  cancel(idText: string, reason: unknown): void {
    this.#ongoing.get(idText)?.cancel(reason);
  }

  notification(notification: IncomingNotification): void {
    this.#clients?.notification(notification);
  }

  close(): void {
    for (const ongoing of this.#ongoing.values()) ongoing.cancel("the client disconnected");
    this.#clients?.close();
  }
}
