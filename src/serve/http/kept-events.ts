/**
 * Events that clients may have to ask for again, in memory. No server learns whether a client has read an event: what the system
 * has accepted for a connection can still be lost with it. So the latest events of each session are kept, for as long as a client
 * usually takes to notice the loss and connect again. Everything is limited, because nearly all of it was delivered: per session,
 * so that a talkative server costs little, and for the whole process, so that the number of clients does not matter. Answers that
 * are sent as plain JSON cost nothing, because no client can ask for them again.
 */

const MAX_SESSION_EVENTS = 100;
const MAX_SESSION_BYTES = 256 * 1024;
const MAX_BYTES = 4 * 1024 * 1024;
/** An event above this size is not kept. */
export const MAX_EVENT_BYTES = 128 * 1024;
const KEEP_MS = 2 * 60_000;
/** What an event needs beside its text, about. */
const OVERHEAD_BYTES = 256;

interface KeptEvent {
  readonly owner: SessionEvents;
  readonly stream: number;
  readonly number: number;
  readonly text: string;
  readonly bytes: number;
  readonly at: number;
  /** The neighbours among the events of all sessions. */
  older: KeptEvent | undefined;
  newer: KeptEvent | undefined;
}

/**
 * The events of all sessions. They are linked, because a set or map has to step over what was deleted at its start each time its
 * first member is asked for.
 */
export class KeptEvents {
  #oldest: KeptEvent | undefined;
  #newest: KeptEvent | undefined;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(event: KeptEvent): void {
    event.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = event;
    else this.#newest.newer = event;
    this.#newest = event;
    this.#bytes += event.bytes;
    const before = event.at - KEEP_MS;
    while (this.#oldest !== undefined && (this.#bytes > MAX_BYTES || this.#oldest.at < before))
      this.#oldest.owner.dropOldest();
  }

  delete(event: KeptEvent): void {
    const { older, newer } = event;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    this.#bytes -= event.bytes;
  }
}

/** The events of one session, oldest first. */
export class SessionEvents {
  readonly #all: KeptEvents;
  readonly #events: KeptEvent[] = [];
  #bytes = 0;

  constructor(all: KeptEvents) {
    this.#all = all;
  }

  keep(stream: number, number: number, text: string): void {
    const bytes = text.length + OVERHEAD_BYTES;
    const at = performance.now();
    const links = { older: undefined, newer: undefined };
    const event: KeptEvent = { owner: this, stream, number, text, bytes, at, ...links };
    this.#events.push(event);
    this.#bytes += bytes;
    this.#all.add(event);
    while (this.#bytes > MAX_SESSION_BYTES || this.#events.length > MAX_SESSION_EVENTS)
      this.dropOldest();
  }

  /** The texts of the events that followed one in its stream. */
  after(stream: number, number: number): string[] {
    const later = this.#events.filter((event) => event.stream === stream && event.number > number);
    return later.map(({ text }) => text);
  }

  /** Stream, number and text of each event. */
  get all(): readonly (readonly [stream: number, number: number, text: string])[] {
    return this.#events.map(({ stream, number, text }) => [stream, number, text] as const);
  }

  dropOldest(): void {
    const event = this.#events.shift();
    if (event === undefined) return;
    this.#bytes -= event.bytes;
    this.#all.delete(event);
  }

  clear(): void {
    while (this.#events.length > 0) this.dropOldest();
  }
}
