import type { IncomingNotification } from "../wire/messages.ts";

/** What one server may send to one client in a second; the rest is dropped. */
const MAX_PER_METHOD = 200;
const MAX_METHODS = 20;
const MAX_CHARS = 4 * 1024 * 1024;

/**
 * Limits the notifications of one server to one client. Without it, a flood of them would fill the
 * client's connection, and what other servers answer would have to wait.
 */
export class NotificationBudget {
  #second = 0;
  #chars = 0;
  readonly #byMethod = new Map<string, number>();

  /** Takes a notification that belongs to a call: there may be any number, but not of any size. */
  admitsAbout({ text = "" }: IncomingNotification): boolean {
    this.#startSecond();
    // A single notification may have any size, so the last one may exceed the limit.
    if (this.#chars > MAX_CHARS) return false;
    this.#chars += text.length;
    return true;
  }

  /** Takes a notification that the client did not ask for. */
  admitsUnsolicited(notification: IncomingNotification): boolean {
    this.#startSecond();
    const { method } = notification;
    const count = this.#byMethod.get(method) ?? 0;
    const isOneTooMany = count === 0 && this.#byMethod.size >= MAX_METHODS;
    if (count >= MAX_PER_METHOD || isOneTooMany || !this.admitsAbout(notification)) return false;
    this.#byMethod.set(method, count + 1);
    return true;
  }

  #startSecond(): void {
    const second = Math.floor(performance.now() / 1000);
    if (second === this.#second) return;
    this.#second = second;
    this.#chars = 0;
    this.#byMethod.clear();
  }
}
