import { describe, expect, it } from "vitest";

import { FakeCaller, FakeConnection } from "../../../test/support/fake-connection.ts";
import type { Call } from "../../calls/call.ts";
import type { Principal } from "../../calls/principal.ts";
import type { IncomingNotification } from "../../wire/messages.ts";
import type { ServerClient } from "./server-client.ts";
import type { Server } from "../server.ts";

/** A caller that records the notifications it gets during its call. */
class ListeningCaller extends FakeCaller {
  readonly exact: string[] = [];
  readonly passing: string[] = [];

  onCallNotification(_call: Call, { method }: IncomingNotification): void {
    this.exact.push(method);
  }

  onNotificationDuringCall(_call: Call, { method }: IncomingNotification): void {
    this.passing.push(method);
  }
}

const LOG = { method: "notifications/message", params: {} };
const UPDATED = { method: "notifications/resources/updated", params: {} };
const server = {} as Server;

function scene() {
  const fake = new FakeConnection();
  const received: string[] = [];
  const client: ServerClient = {
    logLevel: undefined,
    onToolsChanged() {},
    onNotification: (_server, _connection, { method }) => void received.push(method),
    onServerRequest() {},
  };
  fake.connection.clients.attach(client);
  const [one, other] = [new ListeningCaller(), new ListeningCaller()];
  const { call } = fake.call(one);
  fake.call(other);
  return { connection: fake.connection, channel: fake.channel, received, one, other, call };
}

describe("a notification from a server", () => {
  it("that arrives on the stream of a call goes only to the caller", () => {
    const { connection, received, one, other, call } = scene();
    connection.clients.notify(server, LOG, call);
    expect([one.exact, one.passing]).toEqual([[LOG.method], []]);
    expect([other.exact, other.passing, received]).toEqual([[], [], []]);
  });

  it("that arrives on no call's stream goes to every client of the connection and every waiting caller", () => {
    const { connection, received, one, other } = scene();
    connection.clients.notify(server, LOG, undefined);
    expect([one.passing, other.passing, received]).toEqual([
      [LOG.method],
      [LOG.method],
      [LOG.method],
    ]);
  });

  it("about resources goes to every client, whichever stream it arrives on", () => {
    const { connection, received, call } = scene();
    connection.clients.notify(server, UPDATED, call);
    expect(received).toEqual([UPDATED.method]);
  });
});

describe("a client that leaves a connection", () => {
  it("gets nothing more, and only resources without other subscribers are unsubscribed", () => {
    const { connection, channel, received } = scene();
    const [client] = connection.clients;
    const other = { ...(client as ServerClient) };
    connection.clients.keepAliveFor.add(client as ServerClient);
    for (const uri of ["own:a", "shared:b"])
      connection.clients.subscribers.add(uri, client as ServerClient);
    connection.clients.subscribers.add("shared:b", other);
    connection.clients.detach(client as ServerClient);
    connection.clients.notify(server, UPDATED, undefined);
    expect([received, connection.clients.size, connection.clients.keepAliveFor.size]).toEqual([
      [],
      0,
      0,
    ]);
    expect(channel.of("resources/unsubscribe")).toMatchObject([{ params: { uri: "own:a" } }]);
  });
});

describe("a log message of a server that several principals use", () => {
  const principal = (id: string): Principal => ({
    kind: "token",
    id,
    name: id,
    readOnly: false,
  });

  /** A client of this principal that is connected, and its calls if it makes any. */
  function client(fake: FakeConnection, id: string, calls: number, name?: string) {
    const got: string[] = [];
    const own = { ...principal(id), client: name };
    fake.connection.clients.attach({
      principal: own,
      logLevel: undefined,
      onToolsChanged() {},
      onNotification: (_server, _connection, { method }) => void got.push(method),
      onServerRequest() {},
    });
    const caller = Object.assign(new ListeningCaller(), { principal: own });
    for (let i = 0; i < calls; i++) fake.call(caller);
    return { got, caller };
  }

  it("goes to the only one that has calls in flight", () => {
    const fake = new FakeConnection();
    const [a, again, b] = [client(fake, "a", 1), client(fake, "a", 0), client(fake, "b", 0)];
    fake.connection.clients.notify(server, LOG, undefined);
    expect([a.got, a.caller.passing, again.got, b.got]).toEqual([
      [LOG.method],
      [LOG.method],
      [LOG.method],
      [],
    ]);
  });

  it.each([0, 1])("goes to none if each has %i calls in flight", (calls) => {
    const fake = new FakeConnection();
    const [a, b] = [client(fake, "a", calls), client(fake, "b", calls)];
    fake.connection.clients.notify(server, LOG, undefined);
    expect([a.got, b.got, a.caller.passing, b.caller.passing]).toEqual([[], [], [], []]);
  });

  it("goes to the only client of a shared workbench that has calls in flight", () => {
    const fake = new FakeConnection();
    const [a, b] = [client(fake, "stdio", 1, "a"), client(fake, "stdio", 0, "b")];
    fake.connection.clients.notify(server, LOG, undefined);
    expect([a.got, b.got, a.caller.passing]).toEqual([[LOG.method], [], [LOG.method]]);
  });

  it.each([
    [0, [LOG.method]],
    [1, []],
  ])(
    "goes to all clients of a shared workbench only if none has calls: %i each",
    (calls, expected) => {
      const fake = new FakeConnection();
      const [a, b] = [client(fake, "stdio", calls, "a"), client(fake, "stdio", calls, "b")];
      fake.connection.clients.notify(server, LOG, undefined);
      expect([a.got, b.got]).toEqual([expected, expected]);
    },
  );

  it("does not keep other notifications from anyone", () => {
    const fake = new FakeConnection();
    const [a, b] = [client(fake, "a", 1), client(fake, "b", 0)];
    fake.connection.clients.notify(server, UPDATED, undefined);
    expect([a.got, b.got]).toEqual([[UPDATED.method], [UPDATED.method]]);
  });
});
