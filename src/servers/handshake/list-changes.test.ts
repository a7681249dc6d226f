import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { FakeConnection } from "../../../test/support/fake-connection.ts";
import { listenForChanges } from "./list-changes.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MINUTE = 60_000;

function listening(capabilities: object = { tools: { listChanged: true } }): FakeConnection {
  const fake = new FakeConnection();
  fake.connection.hello = {
    ...fake.connection.hello,
    era: "modern",
    capabilities: { ...capabilities },
  };
  listenForChanges(fake.connection, (notification) => void fake.notifications.push(notification));
  return fake;
}

const idsOf = (fake: FakeConnection): unknown[] =>
  fake.channel.of("subscriptions/listen").map(({ id }) => id);

describe("listenForChanges", () => {
  it("subscribes to the changes that the server supports, and passes them on", () => {
    const fake = listening({ tools: { listChanged: true }, prompts: {}, resources: true });
    expect(fake.channel.of("subscriptions/listen")).toMatchObject([
      { params: { notifications: { toolsListChanged: true } } },
    ]);
    const _meta = { "io.modelcontextprotocol/subscriptionId": 1 };
    const method = "notifications/tools/list_changed";
    fake.receive({ jsonrpc: "2.0", method, params: { _meta } });
    expect(fake.notifications.map((notification) => notification.method)).toEqual([method]);
  });

  it("sends nothing to a server that supports no change notifications", () => {
    expect(idsOf(listening({ tools: {} }))).toEqual([]);
  });

  it("subscribes again after the server ended the subscription, and reports every list as changed", () => {
    const fake = listening();
    fake.answer(1, { resultType: "complete" });
    expect(idsOf(fake)).toEqual([1]);
    vi.advanceTimersByTime(MINUTE);
    expect(idsOf(fake)).toEqual([1, 2]);
    expect(fake.notifications.map(({ method }) => method)).toEqual([
      "notifications/tools/list_changed",
    ]);
  });

  it("subscribes less and less often to a server that ends every subscription at once", () => {
    const fake = listening();
    fake.channel.onSend = ({ id }) => queueMicrotask(() => fake.answer(id));
    fake.answer(1);
    return vi.advanceTimersByTimeAsync(10 * MINUTE).then(() => {
      const times = idsOf(fake).length;
      expect(times).toBeGreaterThan(10);
      expect(times).toBeLessThan(40);
    });
  });

  it("does not subscribe again after the server refused or the connection was closed", async () => {
    const refused = listening();
    refused.refuse(1);
    const closed = listening();
    closed.answer(1);
    await closed.connection.close();
    vi.advanceTimersByTime(MINUTE);
    expect([idsOf(refused), idsOf(closed)]).toEqual([[1], [1]]);
  });
});
