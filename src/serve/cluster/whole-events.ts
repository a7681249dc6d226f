import { LINE_FEED } from "../../wire/characters.ts";

const END_OF_EVENT = "\n\n";

/** Cuts the event stream of a replica where events end, so that no part of an event is passed on. */
export class WholeEvents {
  /** The beginning of an event. */
  #held: Buffer[] = [];

  /** Takes a chunk; gives the events that are complete with it, in pieces. */
  take(chunk: Buffer): Buffer[] {
    const end = this.#endIn(chunk);
    if (end === 0) {
      if (chunk.length > 0) this.#held.push(chunk);
      return [];
    }
    const whole = [...this.#held, chunk.subarray(0, end)];
    this.#held = end < chunk.length ? [chunk.subarray(end)] : [];
    return whole;
  }

  /** Where the last event in a chunk ends; 0 if none does. */
  #endIn(chunk: Buffer): number {
    const at = chunk.lastIndexOf(END_OF_EVENT);
    if (at >= 0) return at + END_OF_EVENT.length;
    const endsHere = chunk[0] === LINE_FEED && this.#held.at(-1)?.at(-1) === LINE_FEED;
    return endsHere ? 1 : 0;
  }
}
