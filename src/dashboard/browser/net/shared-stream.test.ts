import { describe, expect, it } from "vitest";
import type { DashboardEvent } from "../../contract.ts";
import type { StreamListener } from "./event-stream.ts";
import { followEvents, type Pages } from "./shared-stream.ts";

const HELLO: DashboardEvent = { type: "hello", pid: 1, startedAt: "" };

/** A browser with several pages: its locks, channels and event streams. */
class FakeBrowser {
  /** The open streams. */
  readonly streams: StreamListener[] = [];
  readonly #channels = new Set<{ listener: (event: never) => void }>();
  readonly #waiting: (() => void)[] = [];
  #isHeld = false;

  pages(): Pages {
    return {
      locks: { request: this.#request } as unknown as LockManager,
      channel: () => this.#channel() as never,
      open: (listener) => {
        this.streams.push(listener);
        return () => void this.streams.splice(this.streams.indexOf(listener), 1);
      },
    };
  }

  #channel() {
    const own: { listener: (event: never) => void } = { listener: () => {} };
    this.#channels.add(own);
    return {
      addEventListener: (_: string, listener: (event: never) => void) => {
        own.listener = listener;
      },
      postMessage: (data: unknown) => {
        for (const one of this.#channels) if (one !== own) one.listener({ data } as never);
      },
      close: () => this.#channels.delete(own),
    };
  }

  readonly #request = async (
    _: string,
    { signal }: { signal: AbortSignal },
    work: () => Promise<void>,
  ): Promise<void> => {
    if (this.#isHeld)
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push(resolve);
        signal.addEventListener("abort", () => {
          this.#waiting.splice(this.#waiting.indexOf(resolve), 1);
          reject(new Error("aborted"));
        });
      });
    this.#isHeld = true;
    await work();
    this.#isHeld = false;
    this.#waiting.shift()?.();
  };
}

function open(browser: FakeBrowser) {
  const seen: string[] = [];
  const close = followEvents(
    {
      onEvent: ({ type }) => seen.push(type),
      setConnection: (connection) => seen.push(connection),
      isStillSignedIn: async () => true,
    },
    browser.pages(),
  );
  return { seen, close };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

describe("the pages of a browser", () => {
  it("share one event stream", async () => {
    const browser = new FakeBrowser();
    const pages = [open(browser), open(browser), open(browser)];
    await settled();
    expect(browser.streams.length).toBe(1);
    browser.streams[0]?.onEvent(HELLO);
    browser.streams[0]?.setConnection("reconnecting");
    for (const { seen } of pages) expect(seen).toEqual(["hello", "reconnecting"]);
  });

  it("learn how the stream is doing when they are opened later", async () => {
    const browser = new FakeBrowser();
    open(browser);
    await settled();
    expect(open(browser).seen).toEqual([]);
    browser.streams[0]?.onEvent(HELLO);
    expect(open(browser).seen).toEqual(["live"]);
    browser.streams[0]?.onEvent({ type: "bye", reason: "shutdown" });
    expect(open(browser).seen).toEqual(["stopped"]);
  });

  it("open another stream when the page that has it is closed", async () => {
    const browser = new FakeBrowser();
    const [first, second, third] = [open(browser), open(browser), open(browser)];
    await settled();
    // Before its turn.
    second.close();
    first.close();
    await settled();
    expect(browser.streams.length).toBe(1);
    browser.streams[0]?.onEvent(HELLO);
    expect([first.seen, second.seen, third.seen]).toEqual([[], [], ["hello"]]);
    third.close();
    expect(browser.streams.length).toBe(0);
  });

  it("have a stream each where a browser has no locks", () => {
    const browser = new FakeBrowser();
    const listener = {} as StreamListener;
    followEvents(listener, { ...browser.pages(), locks: undefined });
    expect(browser.streams).toEqual([listener]);
  });
});
