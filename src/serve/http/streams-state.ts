import { isObject } from "../../wire/messages.ts";

/** What the next replica needs to continue the streams of a session. */
export interface StreamsState {
  /** The start of all event ids of the session. */
  readonly prefix: string;
  /** The number of the latest stream. */
  readonly lastStream: number;
  /** The stream for unsolicited messages, and the number of its last event. */
  readonly own?: { readonly stream: number; readonly last: number } | undefined;
  /** What clients may ask for again: stream, number and text of each event. */
  readonly events: readonly (readonly [stream: number, number: number, text: string])[];
  /** Unsolicited messages that could not be sent. */
  readonly unsent: readonly string[];
}

/** Redis coordinates replicas and is no place for content, so only the latest small events are handed over. */
const MAX_EVENT_CHARS = 16 * 1024;
const MAX_CHARS = 64 * 1024;

/** The latest items that are small enough, in their order. */
export function latestSmall<T>(items: readonly T[], textOf: (item: T) => string): T[] {
  let chars = 0;
  const small = items.toReversed().filter((item) => {
    const { length } = textOf(item);
    if (length > MAX_EVENT_CHARS || chars + length > MAX_CHARS) return false;
    chars += length;
    return true;
  });
  return small.toReversed();
}

/** The state in a text that another replica has written. */
export function parseStreams(text: string | undefined): StreamsState | undefined {
  const state: unknown = text === undefined ? undefined : JSON.parse(text);
  return isObject(state) ? (state as unknown as StreamsState) : undefined;
}
