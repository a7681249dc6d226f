import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { anyCharacter } from "../../test/support/any-character.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { newFolder } from "../../test/support/new-folder.ts";
import { type FakeKeychain, fakeKeychain } from "../../test/support/fake-keychain.ts";
import { decodeSecret, encodeSecret } from "./keychain-encoding.ts";
import { KeychainStore } from "./keychain-store.ts";

let folder = "";
let fake: FakeKeychain;
let store: KeychainStore;
let stopUsing: () => void;

beforeEach(() => {
  folder = newFolder("workbench-keychain");
  fake = fakeKeychain(folder);
  stopUsing = fake.useHere();
  store = new KeychainStore({ env: { HOME: folder, ...fake.env }, platform: "linux" });
});
afterEach(() => {
  stopUsing();
  rmSync(folder, { recursive: true, force: true });
});

// What replaces `secret-tool` is a script for a POSIX shell.
describe.runIf(process.platform !== "win32")("KeychainStore", () => {
  it("stores, reads, lists and removes secrets, and never passes a value on a command line", async () => {
    const values = new Map([
      ["A_TOKEN", "plain-value-1"],
      ["KEY", "-----BEGIN\nline 2\n"],
    ]);
    await store.assertUsable();
    await store.set(values);
    expect(await store.get(["A_TOKEN", "KEY", "NONE"])).toEqual(values);
    expect(await store.names()).toEqual(["A_TOKEN", "KEY"]);
    expect(fake.secrets()["A_TOKEN"]).toBe("plain-value-1");
    expect(await store.remove(["KEY", "NONE"])).toEqual(["KEY"]);
    expect(await store.names()).toEqual(["A_TOKEN"]);
    expect(fake.commandLines()).not.toContain("plain-value");
  });

  it("reports why the keychain cannot be used, and what to do", async () => {
    fake.breakWith("Platform failure: no D-Bus");
    await expect(store.assertUsable()).rejects.toThrow(/Cannot use .*: Platform failure: no D-Bus/);
    await expect(store.get(["A"])).rejects.toMatchObject({
      hint: expect.stringContaining("Unlock the keychain") as string,
    });
  });

  it("reads, replaces and removes what an earlier version stored with secret-tool", async () => {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    const script = `#!/bin/sh\necho "$@" >> ${folder}/runs.txt\n[ "$*" = "lookup service mcp-workbench account OLD" ] && printf old-value\n`;
    writeFileSync(join(bin, "secret-tool"), script, { mode: 0o755 });
    const env = { HOME: folder, PATH: `${bin}:/bin:/usr/bin`, ...fake.env };
    const both = new KeychainStore({ env, platform: "linux" });
    expect(await both.get(["OLD", "NONE"])).toEqual(new Map([["OLD", "old-value"]]));
    await both.set(new Map([["OLD", "new-value"]]));
    expect(await both.get(["OLD"])).toEqual(new Map([["OLD", "new-value"]]));
    const runs = readFileSync(join(folder, "runs.txt"), "utf8");
    expect(runs).toContain("clear service mcp-workbench account OLD");
  });

  it("refuses a value that Windows would cut off", async () => {
    const windows = new KeychainStore({
      env: { ...fake.env, USERPROFILE: folder },
      platform: "win32",
    });
    await expect(windows.set(new Map([["A", "x".repeat(1300)]]))).rejects.toThrow("A is too long");
    expect(fake.secrets()).toEqual({});
  });
});

it("encodeSecret and decodeSecret keep every value", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: anyCharacter }), fc.constant("base64:eA==")),
      (value) => {
        expect(encodeSecret(value)).toMatch(/^[ -~]+$/);
        expect(decodeSecret(`${encodeSecret(value)}\n`)).toBe(value);
      },
    ),
  );
});
