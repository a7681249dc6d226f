import type { IncomingNotification } from "../wire/messages.ts";
import { NotificationBudget } from "./notification-budget.ts";

const GATHER_MS = 50;
const LISTS_CHANGED = new Set([
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
]);

/**
 * Notifications of servers to a client: list changes are combined, floods are cut. A flood of one
 * server takes nothing from the others.
 */
export class NotificationThrottle {
  readonly #send: (notification: IncomingNotification) => void;
  readonly #pending = new Set<string>();
  readonly #budgets = new WeakMap<object, NotificationBudget>();
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (notification: IncomingNotification) => void) {
    this.#send = send;
  }

  /** Sends an unsolicited notification of this server, unless there are too many. */
  send(notification: IncomingNotification, server: object): void {
    const { method } = notification;
    if (LISTS_CHANGED.has(method)) {
      this.#pending.add(method);
      this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS).unref();
      return;
    }
    if (this.#budgetOf(server).admitsUnsolicited(notification)) this.#send(notification);
  }

  /** Whether a notification of this server that belongs to a call may be sent. */
  admitsAbout(notification: IncomingNotification, server: object): boolean {
    return this.#budgetOf(server).admitsAbout(notification);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #budgetOf(server: object): NotificationBudget {
    const budget = this.#budgets.get(server) ?? new NotificationBudget();
    this.#budgets.set(server, budget);
    return budget;
  }

  #flush(): void {
    this.#timer = undefined;
    for (const method of this.#pending) this.#send({ method, params: {} });
    this.#pending.clear();
  }
}
