import { describe, expect, it } from "vitest";

import { FakeCaller, FakeConnection } from "../../../test/support/fake-connection.ts";
import type { Call } from "../../calls/call.ts";
import type { IncomingNotification } from "../../wire/messages.ts";
import { routeNotification } from "./route-notification.ts";
import type { ServerClient } from "./server-client.ts";
import type { Server } from "../server.ts";

/** A caller that records the notifications it gets. */
class Hearing extends FakeCaller {
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
  const notified: string[] = [];
  const client: ServerClient = {
    logLevel: undefined,
    onToolsChanged() {},
    onNotification: (_server, _connection, { method }) => void notified.push(method),
    onServerRequest() {},
  };
  fake.connection.clients.add(client);
  const [one, other] = [new Hearing(), new Hearing()];
  const { call } = fake.call(one);
  fake.call(other);
  return { connection: fake.connection, notified, one, other, call };
}

describe("a notification from a server", () => {
  it("that arrives on the stream of a call goes only to the caller", () => {
    const { connection, notified, one, other, call } = scene();
    routeNotification(server, connection, LOG, call);
    expect([one.exact, one.passing]).toEqual([[LOG.method], []]);
    expect([other.exact, other.passing, notified]).toEqual([[], [], []]);
  });

  it("that arrives on no call's stream goes to every client of the connection and every waiting caller", () => {
    const { connection, notified, one, other } = scene();
    routeNotification(server, connection, LOG, undefined);
    expect([one.passing, other.passing, notified]).toEqual([
      [LOG.method],
      [LOG.method],
      [LOG.method],
    ]);
  });

  it("about resources goes to every client, whichever stream it arrives on", () => {
    const { connection, notified, call } = scene();
    routeNotification(server, connection, UPDATED, call);
    expect(notified).toEqual([UPDATED.method]);
  });
});
