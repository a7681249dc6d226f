import type { DashboardEvent } from "../../contract.ts";
import type { Connection } from "../state/state.ts";
import { openEventStream, type StreamListener } from "./event-stream.ts";

/** What pages of the same browser send each other. */
type Message =
  | { readonly event: DashboardEvent }
  | { readonly connection: Connection }
  /** From a page that has just been opened. */
  | { readonly isNew: true };

/** What of a browser is needed, and its event streams. */
export interface Pages {
  readonly locks: Pick<LockManager, "request"> | undefined;
  readonly channel: () => Pick<BroadcastChannel, "postMessage" | "addEventListener" | "close">;
  readonly open: (listener: StreamListener) => () => void;
}

const NAME = "mcp-workbench-events";

function pagesOfBrowser(): Pages {
  return {
    // Only where the page is on a secure address, such as that of the own machine.
    locks: (navigator as Partial<Navigator>).locks,
    channel: () => new BroadcastChannel(NAME),
    open: openEventStream,
  };
}

/** Calls back when another page of this browser has signed in. Returns a function that ends it. */
export function onOtherPage(listener: () => void): () => void {
  const channel = new BroadcastChannel(NAME);
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if ("isNew" in data) listener();
  });
  return () => channel.close();
}

/**
 * Follows the event stream that all pages of a browser share: a browser opens at most six connections to a workbench, so
 * with a stream for each page, the seventh page would load nothing. One page has the stream and passes events on; when it
 * is closed, the next one opens a stream. Returns a function that ends it.
 */
export function followEvents(
  listener: StreamListener,
  pages: Pages = pagesOfBrowser(),
): () => void {
  const { locks, open } = pages;
  if (locks === undefined) return open(listener);
  const channel = pages.channel();
  const send = (message: Message): void => channel.postMessage(message);
  const over = new AbortController();
  let connection: Connection | undefined;

  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if ("isNew" in data) {
      if (connection !== undefined) send({ connection });
    } else if ("connection" in data) listener.setConnection(data.connection);
    else listener.onEvent(data.event);
  });

  const stream: StreamListener = {
    onEvent: (event) => {
      connection = event.type === "bye" ? "stopped" : "live";
      listener.onEvent(event);
      send({ event });
    },
    setConnection: (now) => {
      connection = now;
      listener.setConnection(now);
      send({ connection: now });
    },
    isStillSignedIn: () => listener.isStillSignedIn(),
  };
  const lead = (): Promise<void> =>
    new Promise((resolve) => {
      const close = open(stream);
      over.signal.addEventListener("abort", () => {
        close();
        resolve();
      });
    });
  // Rejects when this page ends before it is its turn.
  locks.request(NAME, { signal: over.signal }, lead).catch(() => undefined);
  send({ isNew: true });
  return () => {
    over.abort();
    channel.close();
  };
}
