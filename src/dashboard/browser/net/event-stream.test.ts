import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openEventStream } from "./event-stream.ts";

/** The `EventSource` of a browser. */
class FakeSource {
  readyState = 1;
  readonly #listeners = new Map<string, (event: never) => void>();

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, listener);
  }

  say(event: object | string): void {
    const data = typeof event === "string" ? event : JSON.stringify(event);
    this.#listeners.get("message")?.({ data } as never);
  }

  /** The connection is lost; `isClosed` if the browser does not connect again. */
  fail(isClosed: boolean): void {
    this.readyState = isClosed ? 2 : 0;
    this.#listeners.get("error")?.({} as never);
  }

  close(): void {
    this.readyState = 2;
  }
}

function scene() {
  const sources: FakeSource[] = [];
  const seen: string[] = [];
  const page = { isSignedIn: true };
  const close = openEventStream(
    {
      onEvent: ({ type }) => seen.push(type),
      setConnection: (connection) => seen.push(connection),
      isStillSignedIn: async () => page.isSignedIn,
    },
    () => {
      sources.push(new FakeSource());
      return sources.at(-1) as never;
    },
  );
  return { sources, seen, page, close, last: () => sources.at(-1) as FakeSource };
}

/** Lets the answer about the session arrive, and time pass. */
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe("the event stream of a page", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("passes events on, and ignores what is not one", () => {
    const { last, seen } = scene();
    for (const event of [{ type: "hello" }, "not JSON", "[]", { type: "later" }]) last().say(event);
    expect(seen).toEqual(["hello", "later"]);
  });

  it("leaves it to the browser to connect again", async () => {
    const { sources, last, seen } = scene();
    last().fail(false);
    await pass(60_000);
    expect([sources.length, seen]).toEqual([1, ["reconnecting"]]);
    last().say({ type: "hello" });
    expect(seen).toEqual(["reconnecting", "hello"]);
  });

  it("is opened again if the browser gives up, later and later", async () => {
    const { sources, last } = scene();
    const counts: number[] = [];
    for (let i = 0; i < 8; i++) {
      last().fail(true);
      await pass(1000 * 2 ** Math.min(i, 5) - 1);
      counts.push(sources.length);
      await pass(1);
    }
    // After half a minute at the latest, which is less than the sixth power of two.
    expect(counts).toEqual([1, 2, 3, 4, 5, 7, 8, 9]);
    last().say({ type: "hello" });
    last().fail(true);
    await pass(1000);
    expect(sources.length).toBe(10);
  });

  it("ends with the session, unless another page has signed in again", async () => {
    const { sources, last, page, seen } = scene();
    last().say({ type: "bye", reason: "session" });
    await pass(1000);
    expect(sources.length).toBe(2);
    page.isSignedIn = false;
    last().say({ type: "bye", reason: "session" });
    await pass(60_000);
    expect([sources.length, seen]).toEqual([2, []]);
    expect(last().readyState).toBe(2);
  });

  it("ends with the workbench, and when it is closed", async () => {
    const stopped = scene();
    stopped.last().say({ type: "bye", reason: "shutdown" });
    stopped.last().fail(true);
    const closed = scene();
    closed.close();
    closed.last().fail(true);
    closed.last().say({ type: "hello" });
    await pass(60_000);
    expect([stopped.sources.length, stopped.seen]).toEqual([1, ["bye"]]);
    expect([closed.sources.length, closed.seen]).toEqual([1, []]);
  });
});
