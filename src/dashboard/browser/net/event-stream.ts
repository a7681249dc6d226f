import type { DashboardEvent } from "../../contract.ts";
import { isObject, parseJson } from "../../../text/json.ts";
import type { Connection } from "../state/state.ts";

export interface StreamListener {
  onEvent(event: DashboardEvent): void;
  setConnection(connection: Connection): void;
  /** The stream was refused, or its session has ended. Resolves with whether to try again. */
  isStillSignedIn(): Promise<boolean>;
}

/** What of an `EventSource` is needed. */
export type EventStreamSource = Pick<EventSource, "readyState" | "addEventListener" | "close">;

const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;
/** `EventSource.CLOSED` */
const CLOSED = 2;

/** Opens an event stream, again and again if it ends. Returns a function that closes it. */
export function openEventStream(
  listener: StreamListener,
  connect: () => EventStreamSource = () => new EventSource("/ui/events"),
): () => void {
  let source: EventStreamSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let delay = MIN_DELAY_MS;
  let isOver = false;

  const close = (): void => {
    isOver = true;
    clearTimeout(timer);
    source?.close();
  };

  const onMessage = ({ data }: MessageEvent<string>): void => {
    const event = parseJson(data);
    if (isOver || !isObject(event)) return;
    delay = MIN_DELAY_MS;
    if (event["type"] === "bye" && event["reason"] === "session") {
      // Another page may have signed in again.
      source?.close();
      void openAgain();
      return;
    }
    listener.onEvent(event as unknown as DashboardEvent);
    if (event["type"] === "bye") close();
  };

  const onError = (): void => {
    if (isOver) return;
    listener.setConnection("reconnecting");
    // The browser connects again by itself, unless the answer was not a stream.
    if (source?.readyState === CLOSED) void openAgain();
  };

  const openAgain = async (): Promise<void> => {
    if (!(await listener.isStillSignedIn()) || isOver) return;
    clearTimeout(timer);
    timer = setTimeout(open, delay);
    delay = Math.min(delay * 2, MAX_DELAY_MS);
  };

  const open = (): void => {
    source?.close();
    source = connect();
    source.addEventListener("message", onMessage as (event: Event) => void);
    source.addEventListener("error", onError);
  };

  open();
  return close;
}
