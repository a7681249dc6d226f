import { randomBytes } from "node:crypto";

import { describe, expect, it } from "vitest";

import { NO_LOG } from "../log.ts";
import { type LinkRole, openClusterLink } from "./redis-link.ts";

const SETTINGS = {
  // Nothing listens on this port.
  redis: "redis://127.0.0.1:1",
  advertise: "http://127.0.0.1:2",
  keys: [randomBytes(32).toString("base64")],
  name: "test",
  drainMs: 0,
};

describe("the link to the cluster", () => {
  it("is refused with settings whose variables are not set", () => {
    const open = (settings: object, role: LinkRole) =>
      openClusterLink({ ...SETTINGS, ...settings }, role, NO_LOG);
    expect(() => open({ redis: "${REDIS_URL}" }, "command")).toThrow(
      "Cannot join the cluster: the variable REDIS_URL in 'cluster.redis' is not set",
    );
    expect(() => open({ advertise: "http://${ADDRESS}" }, "replica")).toThrow(
      "Cannot join the cluster: the variable ADDRESS in 'cluster.advertise' is not set",
    );
  });

  it("needs no address for a command", async () => {
    const settings = { ...SETTINGS, advertise: "http://${ADDRESS}" };
    const link = openClusterLink(settings, "command", NO_LOG);
    expect(link.isUp).toBe(false);
    await link.close();
  });

  it("exists without Redis, and refuses commands at once", async () => {
    const link = openClusterLink(SETTINGS, "replica", NO_LOG);
    expect(link.isUp).toBe(false);
    await expect(link.command("PING")).rejects.toThrow("Redis is not reachable");
    await expect(link.script("return 1", [], [])).rejects.toThrow("Redis is not reachable");
    link.subscribe("a", () => {});
    link.publish("a", "lost");
    expect(link.key("a")).toBe("mwb:{test}:a");
    expect(link.open(link.seal("text", "p"), "p")).toBe("text");
    await link.close();
  });
});
