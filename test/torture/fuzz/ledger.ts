/** Which answers a client may expect for the lines it has sent, and which it has received. */

interface Entry {
  /** Requests that have to be answered. */
  owed: number;
  /** Messages that may be answered under this id. */
  allowed: number;
  answered: number;
}

/** Numbers and strings are distinct, and so are numbers that are equal only in JavaScript. */
const keyOf = (id: unknown): string => `${typeof id}:${String(id)}`;

/** 1e999 and 1e400 are different ids, but JavaScript reads both as Infinity: nothing is known about their answers. */
const isInfinite = (id: unknown): boolean => typeof id === "number" && !Number.isFinite(id);

const hasId = (id: unknown): boolean =>
  typeof id === "string" || (typeof id === "number" && !isInfinite(id));

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export class Ledger {
  readonly #entries = new Map<string, Entry>();

  /** Records a line that was sent. */
  sent(line: string): void {
    const message = parse(line);
    if (!isObject(message)) return;
    const { id, method, params, jsonrpc } = message;
    if (method === "notifications/cancelled" && isObject(params)) this.#excuse(params["requestId"]);
    if (!hasId(id)) return;
    const entry = this.#entry(id);
    entry.allowed++;
    const wellFormed =
      jsonrpc === "2.0" && typeof method === "string" && (params === undefined || isObject(params));
    if (wellFormed) entry.owed++;
  }

  /** Records an answer; returns what is wrong with it. */
  received(id: unknown): string | undefined {
    if (id === null || isInfinite(id)) return undefined;
    const entry = this.#entry(id);
    entry.answered++;
    if (entry.answered <= entry.allowed) return undefined;
    return entry.allowed === 0
      ? `an answer to ${JSON.stringify(id)}, which was never asked`
      : `more than one answer to ${JSON.stringify(id)}`;
  }

  /** The ids of requests that have no answer. */
  get unanswered(): string[] {
    return [...this.#entries].filter(([, e]) => e.answered < e.owed).map(([key]) => key);
  }

  /**
   * Everything that is owed up to here is settled. What may be answered but need not be, such as a cancelled
   * request, may still be answered later.
   */
  settle(): void {
    for (const [key, { allowed, answered }] of this.#entries)
      if (answered >= allowed) this.#entries.delete(key);
      else this.#entries.set(key, { owed: 0, allowed: allowed - answered, answered: 0 });
  }

  #excuse(id: unknown): void {
    const entry = this.#entries.get(keyOf(id));
    if (entry !== undefined) entry.owed = 0;
  }

  #entry(id: unknown): Entry {
    const key = keyOf(id);
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const fresh = { owed: 0, allowed: 0, answered: 0 };
    this.#entries.set(key, fresh);
    return fresh;
  }
}
