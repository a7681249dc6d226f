import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { FakeConnection, settingsWith } from "../../test/support/fake-connection.ts";
import type { Connection } from "../servers/connection/connection.ts";
import { quietHost } from "../servers/host.ts";
import type { Server } from "../servers/server.ts";
import { Toolbox } from "./toolbox.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const NAMES = ["ready", "broken", "slow"];

function newToolbox(): Toolbox {
  const servers = new Map(NAMES.map((name) => [name, settingsWith({ name })]));
  const settings = { name: "dev", description: "Tools", keywords: [], servers };
  return new Toolbox(settings, quietHost(), () => {});
}

describe("opening a toolbox", () => {
  it("returns what is ready within 10 seconds, and what will be ready later", async () => {
    const { connection } = new FakeConnection();
    let connectSlow: (connection: Connection) => void = () => {};
    const slow = new Promise<Connection>((resolve) => (connectSlow = resolve));
    const connect = (server: Server): Promise<Connection> => {
      if (server.name === "broken") return Promise.reject(new Error("it exited"));
      return server.name === "slow" ? slow : Promise.resolve(connection);
    };
    const opening = newToolbox().open(connect);
    await vi.advanceTimersByTimeAsync(10_000);
    const { connected, failed, starting } = await opening;
    expect(connected.map(({ server }) => server.name)).toEqual(["ready"]);
    expect(failed).toEqual([{ server: "broken", reason: "it exited" }]);
    expect(starting.map(({ server }) => server.name)).toEqual(["slow"]);
    connectSlow(connection);
    expect(await starting[0]?.connection).toBe(connection);
  });

  it("does not wait longer than its servers do", async () => {
    const { connection } = new FakeConnection();
    const { connected, starting } = await newToolbox().open(() => Promise.resolve(connection));
    expect([connected.length, starting.length]).toEqual([3, 0]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
