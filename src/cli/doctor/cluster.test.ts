import { randomBytes } from "node:crypto";

import { describe, expect, it } from "vitest";

import type { WorkbenchSettings } from "../../config/types.ts";
import { Findings } from "./check.ts";
import { checkCluster } from "./cluster.ts";

const cluster = {
  // Nothing listens on this port.
  redis: "redis://127.0.0.1:1",
  advertise: "http://127.0.0.1:2",
  keys: [randomBytes(32).toString("base64")],
  name: "test",
  drainMs: 0,
};

async function checksOf(settings: object, connects: boolean): Promise<Findings["checks"]> {
  const findings = new Findings(false);
  await checkCluster({ http: {}, ...settings } as WorkbenchSettings, connects, findings);
  return findings.checks;
}

describe("doctor, about the cluster,", () => {
  it("reports nothing for a workbench without replicas", async () => {
    expect(await checksOf({}, true)).toEqual([]);
  });

  it("reports a Redis that is not reachable, unless nothing is to be connected", async () => {
    expect(await checksOf({ cluster }, true)).toMatchObject([
      {
        subject: "cluster.redis",
        status: "error",
        message: expect.stringContaining("not reachable"),
      },
    ]);
    expect(await checksOf({ cluster }, false)).toEqual([]);
  });

  it("reports variables of the address of Redis that are not set", async () => {
    const [check] = await checksOf({ cluster: { ...cluster, redis: "${REDIS_URL}" } }, true);
    expect(check?.message).toContain("the variable REDIS_URL in 'cluster.redis' is not set");
  });

  it("reports an address without TLS if the workbench has a certificate", async () => {
    const http = { tls: {} };
    expect(await checksOf({ cluster, http }, false)).toMatchObject([
      { subject: "cluster.advertise", status: "error" },
    ]);
    const advertise = "https://one.example.com";
    expect(await checksOf({ cluster: { ...cluster, advertise }, http }, false)).toEqual([]);
  });
});
