import type { IncomingNotification } from "../wire/messages.ts";

const GATHER_MS = 50;
const LISTS_CHANGED = new Set([
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
]);
/** What one server may send in a second; the rest is dropped. */
const MAX_PER_METHOD = 200;
const MAX_METHODS = 20;
const MAX_CHARS = 4 * 1024 * 1024;

/** What a server has sent in this second. */
interface Sent {
  readonly byMethod: Map<string, number>;
  chars: number;
}

/**
 * Unsolicited notifications of servers to a client: list changes are combined, floods are cut. What
 * other servers send to the same client is neither dropped nor delayed by a flood.
 */
export class NotificationThrottle {
  readonly #send: (notification: IncomingNotification) => void;
  readonly #pending = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #second = 0;
  readonly #sent = new Map<object, Sent>();

  constructor(send: (notification: IncomingNotification) => void) {
    this.#send = send;
  }

  /** `server` is what the limits apply to. */
  send(notification: IncomingNotification, server: object): void {
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
    if (this.#hasRoom(notification, server)) this.#send(notification);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #hasRoom({ method, text = "" }: IncomingNotification, server: object): boolean {
    const sent = this.#sent.get(server) ?? { byMethod: new Map<string, number>(), chars: 0 };
    this.#sent.set(server, sent);
    const count = sent.byMethod.get(method) ?? 0;
    const isNewMethod = count === 0 && sent.byMethod.size >= MAX_METHODS;
    // A single notification may have any size, so the last one may exceed the limit.
    if (count >= MAX_PER_METHOD || isNewMethod || sent.chars > MAX_CHARS) return false;
    sent.byMethod.set(method, count + 1);
    sent.chars += text.length;
    return true;
  }

  #flush(): void {
    this.#timer = undefined;
    for (const method of this.#pending) this.#send({ method, params: {} });
    this.#pending.clear();
  }
}
