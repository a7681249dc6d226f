import {
  chmodSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { newFolder } from "../../test/support/new-folder.ts";
import { EnvFileStore } from "./env-file-store.ts";

let folder = "";
let file = "";
const read = (): string => readFileSync(file, "utf8");

beforeEach(() => {
  folder = newFolder("workbench-store");
  file = join(folder, "new/secrets.env");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("EnvFileStore", () => {
  it("creates a file that only its owner can read, and deletes it with its last secret", async () => {
    const store = new EnvFileStore(file);
    expect(await store.names()).toEqual([]);
    await store.set(new Map([["A_TOKEN", "one two"]]));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(read()).toMatch(/^# [^]*\nA_TOKEN='one two'\n$/);
    expect(await store.get(["A_TOKEN", "B"])).toEqual(new Map([["A_TOKEN", "one two"]]));
    expect(await store.remove(["A_TOKEN", "B"])).toEqual(["A_TOKEN"]);
    expect(existsSync(file)).toBe(false);
    expect(await store.remove(["A_TOKEN"])).toEqual([]);
  });

  it("keeps a file that the user wrote, with its comments and order", async () => {
    file = join(folder, "secrets.env");
    writeFileSync(file, "# mine\nB=2\n\nA=1\n", { mode: 0o600 });
    const store = new EnvFileStore(file);
    await store.set(new Map([["B", "3"]]));
    await store.remove(["A"]);
    expect(read()).toBe("# mine\nB=3\n\n");
  });

  // Windows has no permission bits.
  it.runIf(process.getuid !== undefined)("refuses a file that others can read", async () => {
    file = join(folder, "secrets.env");
    writeFileSync(file, "A=1\n");
    chmodSync(file, 0o640);
    const store = new EnvFileStore(file);
    await expect(store.set(new Map([["B", "2"]]))).rejects.toThrow(
      `other users of this machine can read it. Run: chmod 600 ${file}`,
    );
    await expect(store.assertUsable()).rejects.toThrow("chmod 600");
    expect(read()).toBe("A=1\n");
  });

  it("does not follow a link unless it was named", async () => {
    file = join(folder, "secrets.env");
    writeFileSync(join(folder, "other"), "A=1\n", { mode: 0o600 });
    symlinkSync("other", file);
    await expect(new EnvFileStore(file).names()).rejects.toThrow("symbolic link");
    expect(await new EnvFileStore(file, { links: "follow" }).names()).toEqual(["A"]);
  });
});
