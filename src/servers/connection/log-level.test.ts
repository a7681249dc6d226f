import { describe, expect, it } from "vitest";

import { FakeConnection } from "../../../test/support/fake-connection.ts";
import { NOT_CONNECTED } from "../handshake/server-hello.ts";
import { reaches, sendLogLevel } from "./log-level.ts";
import type { ServerClient } from "./server-client.ts";

function wanting(logLevel: string | undefined): ServerClient {
  return { logLevel, onToolsChanged() {}, onNotification() {}, onServerRequest() {} };
}

function levelsTold(wanted: (string | undefined)[], further?: string): unknown {
  const fake = new FakeConnection();
  fake.connection.hello = { ...NOT_CONNECTED, capabilities: { logging: {} } };
  for (const level of wanted) fake.connection.clients.attach(wanting(level));
  void sendLogLevel(fake.connection, further);
  return fake.channel.of("logging/setLevel").map(({ params }) => params);
}

describe("the log level", () => {
  it.each([
    [undefined, "debug", true],
    ["debug", "debug", true],
    ["warning", "info", false],
    ["warning", "error", true],
    ["emergency", "alert", false],
    ["debug", "no level at all", false],
  ])("%s lets a message of level %s pass: %s", (wanted, level, expected) => {
    expect(reaches(wanted, { level })).toBe(expected);
  });

  it("sent to a server is the most verbose that any client has set", () => {
    expect(levelsTold([undefined, "error", "info"])).toEqual([{ level: "info" }]);
    expect(levelsTold(["error"], "debug")).toEqual([{ level: "debug" }]);
    expect(levelsTold(["notice"], "error")).toEqual([{ level: "notice" }]);
  });

  it("is not sent to a server if no client has set one", () => {
    expect(levelsTold([undefined])).toEqual([]);
  });
});
