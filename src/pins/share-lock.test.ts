import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { GENEROUS_MS } from "../../test/support/clients/json-rpc.ts";
import { FakeCluster, type FakeLink } from "../../test/support/fake-cluster.ts";
import { newFolder } from "../../test/support/new-folder.ts";
import { waitFor } from "../../test/support/proc.ts";
import { NO_LOG } from "../log.ts";
import { type LockedServer, formatLock } from "./lock-file.ts";
import { shareLock } from "./share-lock.ts";

const items = { tools: new Map(), prompts: new Map(), resourceTemplates: new Map() };
const EMPTY: LockedServer = { items };
const lockOf = (...servers: string[]): string =>
  formatLock({ servers: new Map(servers.map((name) => [name, EMPTY])) });

interface Machine {
  readonly link: FakeLink;
  readonly file: string;
  readonly warnings: string[];
}

let folder: string;
let cluster: FakeCluster;
beforeEach(() => {
  folder = newFolder("pins");
  cluster = new FakeCluster();
});
afterEach(() => rmSync(folder, { recursive: true }));

async function machine(
  name: string,
  text?: string,
  keys: readonly string[] = [""],
): Promise<Machine> {
  mkdirSync(join(folder, name));
  const file = join(folder, name, "workbench-lock.json");
  if (text !== undefined) writeFileSync(file, text);
  const [link, warnings] = [cluster.link(), [] as string[]];
  link.keys = keys;
  await shareLock(file, link, { ...NO_LOG, warn: (text) => void warnings.push(text) });
  return { link, file, warnings };
}

const becomes = async ({ file }: Machine, text: string): Promise<void> => {
  const isText = (): boolean => existsSync(file) && readFileSync(file, "utf8") === text;
  await waitFor(isText, GENEROUS_MS, `${file} to change`);
};

describe("a lock file of replicas", () => {
  it("changes on all machines while the key is replaced, whichever of them has the new one", async () => {
    const before = await machine("before", undefined, ["old", "new"]);
    const after = await machine("after", undefined, ["new", "old"]);
    writeFileSync(before.file, lockOf("dev/a"));
    await becomes(after, lockOf("dev/a"));
    writeFileSync(after.file, lockOf("dev/a", "dev/b"));
    await becomes(before, lockOf("dev/a", "dev/b"));
    expect([before.warnings, after.warnings]).toEqual([[], []]);
  });

  it("changes on all machines that had the same one, also back, and on those that start later", async () => {
    const [a, b] = [await machine("a"), await machine("b")];
    const other = await machine("other", lockOf("dev/other"));
    writeFileSync(a.file, lockOf("dev/a"));
    await becomes(b, lockOf("dev/a"));
    writeFileSync(b.file, lockOf("dev/a", "dev/b"));
    await becomes(a, lockOf("dev/a", "dev/b"));
    writeFileSync(a.file, lockOf("dev/a"));
    await becomes(b, lockOf("dev/a"));
    await becomes(await machine("c"), lockOf("dev/a"));
    await becomes(await machine("d", lockOf("dev/a", "dev/b")), lockOf("dev/a"));
    expect(readFileSync(other.file, "utf8")).toBe(lockOf("dev/other"));
  });

  it("changes when Redis is back; a different change of the same file stays where it is", async () => {
    const [a, b, c] = [await machine("a"), await machine("b"), await machine("c")];
    a.link.isUp = false;
    b.link.isUp = false;
    writeFileSync(a.file, lockOf("dev/a"));
    writeFileSync(b.file, lockOf("dev/b"));
    a.link.isUp = true;
    await becomes(c, lockOf("dev/a"));
    b.link.isUp = true;
    await waitFor(() => b.warnings.length > 0, GENEROUS_MS, "the warning");
    expect(b.warnings[0]).toContain("changed differently on another replica");
    await becomes(b, lockOf("dev/b"));
    await becomes(c, lockOf("dev/a"));
  });
});
