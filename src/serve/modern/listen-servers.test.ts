import { describe, expect, it } from "vitest";

import { FakeClient, fakeServer } from "../../../test/support/fake-client.ts";
import { FakeConnection } from "../../../test/support/fake-connection.ts";
import { NOT_CONNECTED } from "../../servers/handshake/server-hello.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { ListenServers } from "./listen-servers.ts";

const WANTED = { toolsListChanged: true, resourceSubscriptions: ["x:/1", "x:/1", 7] };

function scene() {
  const fake = new FakeConnection();
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
  fake.connection.hello = { ...NOT_CONNECTED, capabilities };
  fake.channel.onSend = ({ id }) => fake.answer(id);
  const known = fakeServer(fake);
  const client = new FakeClient([known], "modern");
  const view = { scope: client.scope, server: known.server };
  const settings = { toolMode: "proxy", toolboxes: new Map() };
  const workbench = { settings } as unknown as Workbench;
  const notified: [string, unknown][] = [];
  const target = { notify: (...given: [string, unknown]) => void notified.push(given), end() {} };
  const listening = new ListenServers(workbench, view, client, WANTED, target);
  return { listening, notified, ...known };
}

describe("the notifications that a modern client listens for", () => {
  it("include updates of the resources it named", async () => {
    const { fake, listening, notified, server } = scene();
    expect(await listening.start()).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ["x:/1", "x:/1"],
    });
    const params = { uri: "x:/1" };
    listening.onNotification(server, fake.connection, {
      method: "notifications/resources/updated",
      params,
    });
    expect(notified).toEqual([["notifications/resources/updated", params]]);
    listening.close();
    expect(fake.connection.clients.keepAliveFor.size).toBe(0);
  });

  it("keep no server running for a client that left while it was being connected", async () => {
    const { fake, listening } = scene();
    const started = listening.start();
    listening.close();
    await started;
    expect(fake.connection.clients.keepAliveFor.size).toBe(0);
    expect(fake.channel.of("resources/subscribe")).toEqual([]);
  });
});
