import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { anyCharacter } from "../../test/support/any-character.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type FakeKeychain, fakeKeychain } from "../../test/support/fake-keychain.ts";
import { decodeSecret, encodeSecret } from "./keychain-encoding.ts";
import { keychainProgram } from "./keychain-programs.ts";
import { KeychainStore } from "./keychain-store.ts";

let folder = "";
let fake: FakeKeychain;
let store: KeychainStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "workbench-keychain-"));
  fake = fakeKeychain(folder, "");
  store = new KeychainStore({ env: { HOME: folder, ...fake.env }, platform: "linux" });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

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

  it("reports why the keychain cannot be used", async () => {
    fake.breakWith("secret-tool: Cannot autolaunch D-Bus without X11 $DISPLAY\n");
    await expect(store.assertUsable()).rejects.toThrow("Cannot autolaunch D-Bus");
    const none = new KeychainStore({ env: { HOME: folder, PATH: "." }, platform: "linux" });
    await expect(none.assertUsable()).rejects.toThrow("secret-tool: not found on the PATH");
  });

  it("refuses a value that the program would cut off", async () => {
    await expect(store.set(new Map([["A", "x".repeat(9000)]]))).rejects.toThrow("A is too long");
    expect(fake.secrets()).toEqual({});
  });
});

describe("the programs of other systems", () => {
  it.each(["darwin", "win32", "linux"] as const)(
    "get the value on standard input (%s)",
    (platform) => {
      const run = keychainProgram(platform).set("A_TOKEN", "hunter2-value");
      expect([run.program, ...run.args].join(" ")).not.toContain("hunter2-value");
      const hex = Buffer.from("hunter2-value").toString("hex");
      expect(run.input.includes("hunter2-value") || run.input.includes(hex)).toBe(true);
    },
  );
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
