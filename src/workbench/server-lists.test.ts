import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { FakeClient, fakeServer } from "../../test/support/fake-client.ts";
import { FakeConnection, settingsWith } from "../../test/support/fake-connection.ts";
import { STDIO_PRINCIPAL } from "../calls/principal.ts";
import type { Connection } from "../servers/connection/connection.ts";
import { type ListingClient, ServerLists } from "./server-lists.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("lists for a modern client", () => {
  it("wait once for a server that hangs while it is connected, and again after it has ended", async () => {
    const connection = new FakeConnection(settingsWith({ name: "hung" }));
    const host = { memory: { load: async (): Promise<undefined> => undefined } };
    const server = Object.assign(fakeServer(connection), { host });
    let fail: (error: Error) => void = () => {};
    const client: ListingClient = {
      era: "modern",
      principal: STDIO_PRINCIPAL,
      pipeline: {},
      scope: new FakeClient([server]).scope,
      connectionTo: () => undefined,
      connect: () => new Promise<Connection>((_, reject) => (fail = reject)),
    };
    const lists = new ServerLists();
    const missingAfter = async (ms: number): Promise<unknown> => {
      const listed = lists.list(client, "prompts").then(({ missing }) => missing.length);
      await vi.advanceTimersByTimeAsync(ms);
      return Promise.race([listed, "waits"]);
    };
    expect(await missingAfter(4900)).toBe("waits");
    await vi.advanceTimersByTimeAsync(200);
    expect(await missingAfter(300)).toBe(1);
    expect(await missingAfter(300)).toBe(1);
    fail(new Error("it hangs"));
    await vi.advanceTimersByTimeAsync(1);
    expect(await missingAfter(300)).toBe("waits");
  });
});
