/** The maximum a client may be subscribed to at one time. */
export const MAX_SUBSCRIPTIONS = 1000;
const MAX_SUBSCRIBED_CHARS = 1024 * 1024;

/** Whether a client that is subscribed to these resources may subscribe to one more. */
export function hasRoomFor(uri: string, subscribed: Iterable<string>): boolean {
  let count = 1;
  let chars = uri.length;
  for (const other of subscribed) {
    count++;
    chars += other.length;
  }
  return count <= MAX_SUBSCRIPTIONS && chars <= MAX_SUBSCRIBED_CHARS;
}
