/**
 * HAProxy, systemd and Helm check the files in deploy/ that are for them. In the full suite because it starts them;
 * deploy-files.test.ts compares the files with the program.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { perTest } from "../support/disposables.ts";
import { temporaryFolder } from "../support/workbench.ts";
import { CHART, deployFile } from "./files.ts";

const disposables = perTest();
const HAPROXY = { ...process.env, WORKBENCH_HOST: "workbench.example.com" };

it("HAProxy accepts its configuration, also with what is commented out", (context) => {
  if (spawnSync("haproxy", ["-v"]).error !== undefined)
    return context.skip("haproxy is not installed");
  const file = join(temporaryFolder(disposables), "haproxy.cfg");
  const config = deployFile("compose/haproxy.cfg").replaceAll(/ workbench-\d:/g, " 127.0.0.1:");
  const hashed = config
    .replace("balance roundrobin", "")
    .replace("# balance hdr", "balance hdr")
    .replace("# hash-type", "hash-type");
  expect(hashed).toMatch(/^ +balance hdr\(Mcp-Session-Id\)$/m);
  for (const text of [config, hashed]) {
    writeFileSync(file, text);
    const { status, stderr } = spawnSync("haproxy", ["-c", "-f", file], { env: HAPROXY });
    expect(stderr.toString()).not.toMatch(/warning|alert/i);
    expect(status).toBe(0);
  }
});

it("systemd accepts the unit and finds little that could be limited further", (context) => {
  const file = join(temporaryFolder(disposables), "mcp-workbench.service");
  const unit = deployFile("systemd/mcp-workbench.service");
  // Only a program that exists is accepted.
  writeFileSync(file, unit.replace("/usr/bin/mcp-workbench", process.execPath));
  const verified = spawnSync("systemd-analyze", ["verify", file]);
  if (verified.error !== undefined) return context.skip("systemd-analyze is not installed");
  expect([verified.stderr.toString(), verified.status]).toEqual(["", 0]);
  // From 0 to 100; without any limits it is 96.
  const rating = ["security", "--offline=yes", "--threshold=20", file];
  const rated = spawnSync("systemd-analyze", rating);
  expect(rated.status, rated.stdout.toString()).toBe(0);
});

it("Helm accepts the chart", (context) => {
  const linted = spawnSync("helm", ["lint", "--strict", CHART]);
  if (linted.error !== undefined) return context.skip("helm is not installed");
  expect([linted.stderr.toString(), linted.status]).toEqual(["", 0]);
  const rendered = spawnSync("helm", [
    "template",
    "tools",
    CHART,
    "--set",
    "autoscaling.enabled=true",
  ]);
  expect([rendered.stderr.toString(), rendered.status]).toEqual(["", 0]);
});
