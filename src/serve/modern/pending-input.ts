const MAX_PENDING = 1000;
/** The time a user has to answer; a server of the v1 SDK gives up after a minute anyway. */
const PARKED_MS = 10 * 60_000;

export interface Parkable {
  /** The client did not return. */
  abandon(): void;
}

/** Calls that wait for their client to return with the input that a server asked for. */
export class PendingInput<T extends Parkable> {
  /** Another workbench behind this one issues tickets, too. */
  readonly #prefix = `workbench-${crypto.randomUUID().slice(0, 8)}-`;
  readonly #parked = new Map<string, { item: T; timer: NodeJS.Timeout }>();

  /** Keeps an item and returns the ticket that fetches it. */
  park(item: T): string {
    const [oldest] = this.#parked.keys();
    if (this.#parked.size >= MAX_PENDING && oldest !== undefined) this.#expire(oldest);
    const ticket = `${this.#prefix}${crypto.randomUUID()}`;
    const timer = setTimeout(() => this.#expire(ticket), PARKED_MS).unref();
    this.#parked.set(ticket, { item, timer });
    return ticket;
  }

  /** True for tickets of this workbench, valid or not; servers have states of their own. */
  issued(ticket: unknown): ticket is string {
    return typeof ticket === "string" && ticket.startsWith(this.#prefix);
  }

  /** Returns a parked item; keeps it if it does not match. */
  fetch(ticket: string, fits: (item: T) => boolean = () => true): T | undefined {
    const parked = this.#parked.get(ticket);
    if (parked === undefined || !fits(parked.item)) return undefined;
    clearTimeout(parked.timer);
    this.#parked.delete(ticket);
    return parked.item;
  }

  close(): void {
    for (const ticket of this.#parked.keys()) this.#expire(ticket);
  }

  #expire(ticket: string): void {
    this.fetch(ticket)?.abandon();
  }
}
