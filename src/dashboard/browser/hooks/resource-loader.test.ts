import { describe, expect, it } from "vitest";
import type { DashboardEvent } from "../../contract.ts";
import { ResourceLoader } from "./resource-loader.ts";

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const lost = (events: number): DashboardEvent => ({ type: "lost", events });

/** A loader of numbers whose requests are answered by the test; events add to the number, and 99 loads again. */
function started() {
  const requests: { answer(value: number): void; fail(error: Error): void; signal: AbortSignal }[] =
    [];
  const seen: string[] = [];
  const loader = new ResourceLoader<number>({
    request: (signal) =>
      new Promise((answer, fail) => {
        requests.push({ answer, fail, signal });
      }),
    follow: (data, event) => {
      const more = event.type === "lost" ? event.events : 0;
      return more === 99 ? "reload" : data + more;
    },
    onChange: ({ data, problem, isLoading }) =>
      seen.push(`${problem?.message ?? data ?? "-"}${isLoading ? " loading" : ""}`),
    first: undefined,
  });
  return { loader, requests, seen };
}

describe("loaded data", () => {
  it("follows events, also those that arrive during the request", async () => {
    const { loader, requests, seen } = started();
    loader.onEvent(lost(5));
    loader.load();
    loader.onEvent(lost(1));
    requests[0]?.answer(10);
    await settled();
    loader.onEvent(lost(2));
    loader.onEvent(lost(0));
    expect(seen).toEqual(["- loading", "10", "11", "13"]);
  });

  it("is loaded once more, however often that is requested during a request", async () => {
    const { loader, requests } = started();
    for (let i = 0; i < 5; i++) loader.load();
    expect(requests).toHaveLength(1);
    requests[0]?.answer(1);
    await settled();
    expect(requests).toHaveLength(2);
    requests[1]?.answer(2);
    await settled();
    expect(requests).toHaveLength(2);
    loader.onEvent(lost(99));
    expect(requests).toHaveLength(3);
  });

  it("stays when loading it again fails", async () => {
    const { loader, requests, seen } = started();
    loader.set(1);
    loader.load();
    requests[0]?.fail(new Error("no"));
    await settled();
    loader.onEvent(lost(1));
    loader.load();
    requests[1]?.answer(3);
    await settled();
    expect(seen).toEqual(["1", "1 loading", "no", "no", "no loading", "3"]);
  });

  it("is not reported after the end", async () => {
    const { loader, requests, seen } = started();
    loader.load();
    loader.close();
    expect(requests[0]?.signal.aborted).toBe(true);
    requests[0]?.answer(1);
    await settled();
    expect(seen).toEqual(["- loading"]);
  });
});
