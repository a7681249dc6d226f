import type { DashboardEvent } from "../../contract.ts";
import { isObject, parseJson } from "../../../text/json.ts";
import type { Connection } from "../state/state.ts";

export interface StreamListener {
  onEvent(event: DashboardEvent): void;
  setConnection(connection: Connection): void;
  /** The stream was refused: the session may be over. Resolves with whether to try again. */
  isStillSignedIn(): Promise<boolean>;
  onSessionEnd(): void;
}

const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;

/** Opens the event stream, the only one of this page. Returns a function that closes it. */
export function openEventStream(listener: StreamListener): () => void {
  let source: EventSource | undefined;
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
    if (!isObject(event)) return;
    delay = MIN_DELAY_MS;
    listener.onEvent(event as unknown as DashboardEvent);
    if (event["type"] !== "bye") return;
    close();
    if (event["reason"] === "session") listener.onSessionEnd();
  };

  const onError = async (): Promise<void> => {
    if (isOver) return;
    listener.setConnection("reconnecting");
    // The browser connects again by itself, unless the answer was not a stream.
    if (source?.readyState !== EventSource.CLOSED) return;
    if (!(await listener.isStillSignedIn()) || isOver) return;
    timer = setTimeout(open, delay);
    delay = Math.min(delay * 2, MAX_DELAY_MS);
  };

  const open = (): void => {
    source?.close();
    source = new EventSource("/ui/events");
    source.addEventListener("message", onMessage);
    source.addEventListener("error", () => void onError());
  };

  open();
  return close;
}
