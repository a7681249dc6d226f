/**
 * Replicas whose `cluster.advertise` is wrong say so, and `doctor` does. In the full suite because of its processes; `npm test` has unit
 * tests of what is reported.
 */
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";

import { runCli } from "../support/cli.ts";
import { perBlock } from "../support/disposables.ts";
import { freePort } from "../support/free-port.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { HAS_REDIS, TestRedis } from "../support/redis.ts";
import type { Config } from "../support/servers.ts";

describe.skipIf(!HAS_REDIS)("the address that a replica gives the others", () => {
  const disposables = perBlock();
  const key = randomBytes(32).toString("base64");
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await TestRedis.start(disposables);
  });

  async function replica(port: number, advertised = port): Promise<HttpWorkbench> {
    const advertise = `http://127.0.0.1:${advertised}`;
    const cluster = { redis: redis.url, advertise, keys: [key], drainMs: 0 };
    return startHttpWorkbench(disposables, { toolboxes: {}, cluster } as Config, {
      address: `127.0.0.1:${port}`,
    });
  }
  const reports = ({ stderr }: HttpWorkbench, text: RegExp): Promise<unknown> =>
    waitFor(() => text.test(stderr()), GENEROUS_MS, `a warning like ${text.source}`);
  const doctor = async ({ home, dir, env, configFile }: HttpWorkbench): Promise<string[]> => {
    const args = ["doctor", "--json", "--config", configFile];
    const { stdout } = await runCli({ home, cwd: dir, env }, args);
    const { checks } = JSON.parse(stdout) as { checks: Record<string, string>[] };
    return checks
      .filter(({ subject }) => subject === "cluster.advertise" || subject === "replicas")
      .map(({ status, message }) => `${status}: ${message}`);
  };

  it("is reported if it leads to another replica or nowhere, and clients are served", async () => {
    const [port, second, third, unused] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    const one = await replica(port);
    expect(await doctor(one)).toEqual(["ok: 1 running, each found at its address"]);
    const same = await replica(second, port);
    const nowhere = await replica(third, unused);
    await reports(same, /does not find itself .*another replica answers there/);
    await reports(nowhere, /does not find itself .*ECONNREFUSED/);
    await reports(one, /another replica has the same 'cluster.advertise'/);
    for (const each of [one, same, nowhere])
      expect((await fetch(`${each.url}/readyz`)).status).toBe(200);
    expect(one.stderr()).not.toContain("does not find itself");
    const found = await doctor(one);
    expect(found.toSorted()).toEqual([
      `error: several replicas have the address http://127.0.0.1:${port}, so that the others do not find them`,
      expect.stringMatching(`warning: a replica is not found from here at .*:${unused}: .*ECONN`),
    ]);
  });
});
