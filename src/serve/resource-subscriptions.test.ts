import { describe, expect, it } from "vitest";

import { FakeConnection } from "../../test/support/fake-connection.ts";
import { fakeServer } from "../../test/support/fake-client.ts";
import { NOT_CONNECTED } from "../servers/handshake/server-hello.ts";
import type { ServerClient } from "../servers/connection/server-client.ts";
import type { JsonObject } from "../wire/messages.ts";
import { ResourceSubscriptions } from "./resource-subscriptions.ts";

const { server } = fakeServer(new FakeConnection());
const { server: other } = fakeServer(new FakeConnection());

function connectionOf(era: "legacy" | "modern"): FakeConnection {
  const fake = new FakeConnection();
  fake.connection.hello = { ...NOT_CONNECTED, era };
  return fake;
}

/** Subscriptions and the updates their client gets. */
function scene() {
  const client: ServerClient = {
    logLevel: undefined,
    onToolsChanged() {},
    onNotification() {},
    onServerRequest() {},
  };
  const updates: JsonObject[] = [];
  const subscriptions = new ResourceSubscriptions(client, (params) => void updates.push(params));
  return { client, updates, subscriptions };
}

const filters = (fake: FakeConnection): unknown[] =>
  fake.channel
    .of("subscriptions/listen")
    .map(({ params }) => (params as { notifications: object }).notifications);

describe("the resource subscriptions of a client", () => {
  it("report updates with the URIs that the client subscribed to, and no others", () => {
    const { updates, subscriptions } = scene();
    const { connection } = connectionOf("legacy");
    subscriptions.add("x:/1", server, "x:/1", connection);
    subscriptions.add("workbench://dev/fx/x:/1", server, "x:/1", connection);
    subscriptions.add("workbench://dev/other/x:/1", other, "x:/1", connection);
    subscriptions.updated(server, { uri: "x:/1", more: 1 });
    subscriptions.updated(server, { uri: "x:/9" });
    subscriptions.updated(server, { uri: 7 });
    expect(updates).toEqual([
      { uri: "x:/1", more: 1 },
      { uri: "workbench://dev/fx/x:/1", more: 1 },
    ]);
    subscriptions.updated(other, { uri: "x:/1" });
    expect(updates.at(-1)).toEqual({ uri: "workbench://dev/other/x:/1" });
  });

  it("are sent to a modern server once per connection, and its updates reach that client only", () => {
    const { updates, subscriptions } = scene();
    const [first, second] = [connectionOf("modern"), connectionOf("modern")];
    for (let times = 0; times < 2; times++)
      expect(subscriptions.add("x:/1", server, "x:/1", first.connection)).toBe(true);
    first.connection.input.onLost("gone");
    for (let times = 0; times < 2; times++) subscriptions.renew(server, second.connection);
    const asked = [{ resourceSubscriptions: ["x:/1"] }];
    expect([filters(first), filters(second)]).toEqual([asked, asked]);
    const meta = { "io.modelcontextprotocol/subscriptionId": 1, kept: true };
    second.receive({
      jsonrpc: "2.0",
      method: "notifications/resources/updated",
      params: { uri: "x:/1", _meta: meta },
    });
    expect(updates).toEqual([{ uri: "x:/1", _meta: { kept: true } }]);
    expect(second.notifications).toEqual([]);
  });

  it("have a limit, in number and in size", () => {
    const { subscriptions } = scene();
    const { connection } = connectionOf("legacy");
    const add = (uri: string): boolean => subscriptions.add(uri, server, uri, connection);
    expect(() => add("x".repeat(1024 * 1024 + 1))).toThrow("Too many resource subscriptions");
    for (let i = 0; i < 1000; i++) add(`x:/${i}`);
    expect(() => add("x:/1000")).toThrow("Too many resource subscriptions: the limit is 1000");
    expect(add("x:/0")).toBe(false);
    subscriptions.remove("x:/0", "x:/0", connection);
    expect(add("x:/1000")).toBe(false);
  });

  it("are cancelled at a modern server", () => {
    const { subscriptions } = scene();
    const fake = connectionOf("modern");
    for (const uri of ["x:/1", "x:/2"]) subscriptions.add(uri, server, uri, fake.connection);
    expect(subscriptions.remove("x:/1", "x:/1", fake.connection)).toBe(true);
    expect(fake.channel.of("notifications/cancelled")).toMatchObject([
      { params: { requestId: 1 } },
    ]);
    subscriptions.close();
    expect([...fake.connection.calls.values()]).toEqual([]);
  });

  it("are left for the caller to cancel at a legacy server, unless another client still has them", () => {
    const [one, two] = [scene(), scene()];
    const fake = connectionOf("legacy");
    for (const { subscriptions } of [one, two])
      expect(subscriptions.add("x:/1", server, "x:/1", fake.connection)).toBe(false);
    expect(one.subscriptions.remove("x:/1", "x:/1", fake.connection)).toBe(true);
    expect(two.subscriptions.remove("x:/1", "x:/1", fake.connection)).toBe(false);
    expect(fake.channel.sent).toEqual([]);
  });

  it("are renewed at a legacy server that was restarted", () => {
    const { subscriptions } = scene();
    const [first, second] = [connectionOf("legacy"), connectionOf("legacy")];
    subscriptions.add("x:/1", server, "x:/1", first.connection);
    subscriptions.add("x:/2", other, "x:/2", first.connection);
    subscriptions.renew(server, second.connection);
    expect(second.channel.of("resources/subscribe").map(({ params }) => params)).toEqual([
      { uri: "x:/1" },
    ]);
  });

  it("keep the server running until the last one is removed", () => {
    const { client, subscriptions } = scene();
    const { connection } = connectionOf("legacy");
    for (const uri of ["x:/1", "x:/2"]) subscriptions.add(uri, server, uri, connection);
    subscriptions.remove("x:/1", "x:/1", connection);
    expect(connection.clients.keepAliveFor.has(client)).toBe(true);
    subscriptions.remove("x:/2", "x:/2", connection);
    expect(connection.clients.keepAliveFor.has(client)).toBe(false);
  });
});
