import { describe, expect, it } from "vitest";

import { FakeConnection } from "../../test/support/fake-connection.ts";
import { fakeServer } from "../../test/support/fake-requester.ts";
import { Subscriptions } from "./subscriptions.ts";

const { server } = fakeServer(new FakeConnection());
const { server: other } = fakeServer(new FakeConnection());

const listens = (fake: FakeConnection): unknown[] =>
  fake.channel
    .of("subscriptions/listen")
    .map(({ params }) => (params as { notifications: object }).notifications);

describe("Subscriptions", () => {
  it("know by which names a client wants to hear of a resource", () => {
    const subscriptions = new Subscriptions();
    subscriptions.add("x:/1", server, "x:/1");
    subscriptions.add("workbench://dev/fx/x:/1", server, "x:/1");
    subscriptions.add("x:/2", other, "x:/1");
    expect(subscriptions.namesOf(server, "x:/1")).toEqual(["x:/1", "workbench://dev/fx/x:/1"]);
    expect(subscriptions.namesOf(other, "x:/1")).toEqual(["x:/2"]);
    expect(subscriptions.namesOf(server, "x:/9")).toEqual([]);
    expect(subscriptions.of(server).map(({ clientUri }) => clientUri)).toEqual([
      "x:/1",
      "workbench://dev/fx/x:/1",
    ]);
  });

  it("ask a modern server once on each of its connections", () => {
    const subscriptions = new Subscriptions();
    subscriptions.add("x:/1", server, "x:/1");
    const [first, second] = [new FakeConnection(), new FakeConnection()];
    for (const { connection } of [first, first]) subscriptions.listen("x:/1", connection);
    first.connection.lost("gone");
    for (const { connection } of [second, second]) subscriptions.listen("x:/1", connection);
    const asked = [{ resourceSubscriptions: ["x:/1"] }];
    expect([listens(first), listens(second)]).toEqual([asked, asked]);
  });

  it("take the question back when they are removed", () => {
    const subscriptions = new Subscriptions();
    const fake = new FakeConnection();
    for (const uri of ["x:/1", "x:/2"]) {
      subscriptions.add(uri, server, uri);
      subscriptions.listen(uri, fake.connection);
    }
    subscriptions.remove("x:/1");
    expect(fake.channel.of("notifications/cancelled")).toMatchObject([
      { params: { requestId: 1 } },
    ]);
    expect(subscriptions.namesOf(server, "x:/1")).toEqual([]);
    subscriptions.close();
    expect(fake.channel.of("notifications/cancelled")).toHaveLength(2);
    expect([...fake.connection.pending]).toEqual([]);
  });

  it("ask nothing for what nobody wants", () => {
    const subscriptions = new Subscriptions();
    const fake = new FakeConnection();
    subscriptions.listen("x:/1", fake.connection);
    subscriptions.remove("x:/1");
    expect(fake.channel.sent).toEqual([]);
  });
});
