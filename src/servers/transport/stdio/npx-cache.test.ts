import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { newFolder } from "../../../../test/support/new-folder.ts";
import { removeIncompletePackages } from "./npx-cache.ts";

let home = "";
beforeEach(() => (home = newFolder("mcp-workbench-test")));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const HALF = "57c3a7b1c2d3e4f5";
const WHOLE = "0123456789abcdef";
const OTHER = "not-a-package";

function fill(cache: string): string {
  const folder = join(cache, "_npx");
  for (const name of [HALF, WHOLE, OTHER]) {
    mkdirSync(join(folder, name, "node_modules", "zod"), { recursive: true });
    writeFileSync(join(folder, name, "node_modules", "zod", "package.json"), "{}");
  }
  writeFileSync(join(folder, WHOLE, "node_modules", ".package-lock.json"), "{}");
  return folder;
}

describe("an npx that was killed", () => {
  it("leaves no incomplete packages in the cache, and all others as they are", async () => {
    const since = Date.now();
    const folder = fill(join(home, ".npm"));
    await removeIncompletePackages({ HOME: home }, since);
    expect(readdirSync(folder).filter((name) => !name.includes(".incomplete"))).toEqual([
      WHOLE,
      OTHER,
    ]);
  });

  it("may have a cache elsewhere", async () => {
    const since = Date.now();
    const folder = fill(join(home, "cache"));
    const others = fill(join(home, ".npm"));
    const env = { HOME: home, NPM_CONFIG_CACHE: join(home, "cache") };
    await removeIncompletePackages(env, since);
    expect(readdirSync(folder)).not.toContain(HALF);
    expect(readdirSync(others)).toContain(HALF);
  });

  it("did not make packages that are older than itself, or where there is no cache", async () => {
    const folder = fill(join(home, ".npm"));
    await removeIncompletePackages({ HOME: home }, Date.now() + 60_000);
    expect(readdirSync(folder)).toContain(HALF);
    await removeIncompletePackages({ HOME: join(home, "nowhere") }, 0);
    await removeIncompletePackages({}, 0);
  });
});
