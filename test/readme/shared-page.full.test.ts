/**
 * Runs the commands of docs/shared.md, as they are written there, and starts a client as it says. In
 * the full suite because each page test starts several programs; docs.test.ts checks all pages in `npm
 * test`.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

import { perTest } from "../support/disposables.ts";
import { dev, fixture } from "../support/servers.ts";
import { SharedPlace, serverPid } from "../support/shared.ts";
import { PROGRAM } from "../support/workbench.ts";
import { blocksOf } from "./blocks.ts";

const PAGE = readFileSync(new URL("../../docs/shared.md", import.meta.url), "utf8");
const disposables = perTest();

it("docs/shared.md: from the entry of a client to the end of the shared process", async () => {
  const blocks = blocksOf(PAGE);
  const [entry] = blocks.filter(({ language }) => language === "json");
  expect(entry?.lines.join("")).toContain('"args": ["serve", "--shared"]');
  const shared = new SharedPlace(disposables, dev({ fx: fixture() }));
  const client = await shared.client(disposables);
  const server = await serverPid(client);
  const bin = join(shared.place.dir, "bin");
  mkdirSync(bin);
  symlinkSync(PROGRAM, join(bin, "mcp-workbench"));
  const env = {
    ...shared.place.env,
    PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`,
  };
  const lines = blocks.filter(({ language }) => language === "sh").flatMap((block) => block.lines);
  expect(lines).toEqual(["mcp-workbench status", "mcp-workbench logs", "mcp-workbench stop"]);
  const [status, , stop] = lines.map((line) => {
    const { status: code, stdout } = spawnSync("/bin/sh", ["-c", line], {
      cwd: shared.place.home,
      env,
      encoding: "utf8",
    });
    expect(code, line).toBe(0);
    return stdout;
  });
  expect(status).toMatch(/^shared workbench .*, 1 client, /);
  expect(status).toContain(String(server));
  expect(stop).toMatch(/^Stopped the shared workbench with pid \d+/);
  expect(shared.records()).toEqual([]);
});
