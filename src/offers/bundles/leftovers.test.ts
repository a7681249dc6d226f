import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

import { perTest } from "../../../test/support/disposables.ts";
import { temporaryFolder } from "../../../test/support/workbench.ts";
import { removeLeftovers, unfinishedName } from "./leftovers.ts";

const cleanup = perTest();
const TARGET = "0123456789abcdef";

describe("removeLeftovers", () => {
  it("removes what a killed process has left, and nothing else", async () => {
    const bundles = temporaryFolder(cleanup);
    const version = join(bundles, "notes", "2.0.1");
    const { pid: gone } = spawnSync(process.execPath, ["--version"]);
    const running = `${basename(unfinishedName(join(version, TARGET)))}abc123`;
    const kept = [TARGET, running, `${TARGET}.new-abc123`, `${TARGET}.new-other`];
    const old = [`${TARGET}.new-oLd123`, `${TARGET}.new-${process.pid}-oLd123`];
    const removed = [`${TARGET}.new-${gone}-abc123`, ...old];
    for (const name of [...kept, ...removed]) {
      mkdirSync(join(version, name, "server"), { recursive: true });
      writeFileSync(join(version, name, "server", "index.js"), "");
    }
    for (const name of [TARGET, ...old]) utimesSync(join(version, name), 1, 1);
    const link = `${TARGET}.new-${gone}-lInk12`;
    symlinkSync(dirname(version), join(version, link));
    await removeLeftovers(bundles);
    expect(readdirSync(version).sort()).toEqual([...kept, link].sort());
    expect(readdirSync(join(version, TARGET, "server"))).toEqual(["index.js"]);
  });

  it("needs no folder", async () => {
    await expect(removeLeftovers(join(temporaryFolder(cleanup), "none"))).resolves.toBeUndefined();
  });
});
