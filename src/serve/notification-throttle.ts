import type { IncomingNotification } from "../wire/messages.ts";

const GATHER_MS = 50;
const LISTS_CHANGED = new Set([
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
]);
/** Maximum notifications of one kind per second; the rest is dropped. */
const MAX_PER_SECOND = 200;

/** Unsolicited notifications of servers to a client: list changes are combined, floods are cut. */
export class NotificationThrottle {
  readonly #send: (notification: IncomingNotification) => void;
  readonly #pending = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #second = 0;
  /** The number of notifications of each kind in this second. */
  readonly #sent = new Map<string, number>();

  constructor(send: (notification: IncomingNotification) => void) {
    this.#send = send;
  }

  send(notification: IncomingNotification): void {
    const { method } = notification;
    if (LISTS_CHANGED.has(method)) {
      this.#pending.add(method);
      this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS).unref();
      return;
    }
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#sent.clear();
    }
    const sent = this.#sent.get(method) ?? 0;
    if (sent >= MAX_PER_SECOND) return;
    this.#sent.set(method, sent + 1);
    this.#send(notification);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    for (const method of this.#pending) this.#send({ method, params: {} });
    this.#pending.clear();
  }
}
