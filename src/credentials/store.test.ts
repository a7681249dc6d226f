import { existsSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";

import { failureOf, storeForTest } from "../../test/support/credential-store.ts";
import { CANARY, recordOf } from "../../test/support/credentials.ts";
import { perTest } from "../../test/support/disposables.ts";
import type { CredentialMode } from "../config/types.ts";
import { credentialFileName } from "./credential-id.ts";
import type { StoreOptions } from "./store.ts";

const disposables = perTest();
const URL_A = "https://a.example/mcp";
const URL_B = "https://b.example/mcp";
const A = recordOf(URL_A);
const B = recordOf(URL_B);
const setUp = (options: Partial<StoreOptions> = {}) => storeForTest(disposables, A, options);

function newGate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("a credential store", () => {
  it.each(["auto", "keychain", "file"] as const)("returns what was written (%s)", async (mode) => {
    const { store, open, keychain } = setUp({ mode });
    expect(await store.read(A)).toBeUndefined();
    await store.write(A);
    await store.write(B);
    await store.write({ ...A, generation: 2 });
    expect(await open().read(A)).toEqual({ ...A, generation: 2 });
    expect(await store.read(B)).toEqual(B);
    expect(await store.read({ ...A, account: "other" })).toBeUndefined();
    expect(keychain.writes).toBe(mode === "file" ? 0 : 1);
    expect(await store.protection()).toEqual({ kind: mode === "file" ? "file" : "keychain" });
  });

  it.each([
    ["auto", undefined],
    ["file", undefined],
    ["keychain", "SECRETS_UNAVAILABLE"],
  ] as const)("rejects what could not be stored before a login (%s)", async (mode, code) => {
    const { store, folder, keychain } = setUp({ mode });
    keychain.failure = "it is locked";
    const failed = await store.prepare().then(
      () => undefined,
      (error: unknown) => (error as { code?: string }).code,
    );
    expect(failed).toBe(code);
    expect(existsSync(folder)).toBe(true);
  });

  it("keeps unknown members of a record that a newer version wrote", async () => {
    const { store } = setUp();
    const newer = { ...A, added: { later: true } };
    await store.write(newer);
    expect(await store.read(A)).toEqual(newer);
  });

  it("is private to the user", async () => {
    const { store, folder, fileOf } = setUp({ mode: "file" });
    await store.write(A);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(dirname(folder)).mode & 0o777).toBe(0o700);
    expect(statSync(fileOf()).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual([credentialFileName(A)]);
  });

  it("does not ask the keychain for records in plain text, nor create folders to read", async () => {
    const { store, keychain, folder, open } = setUp();
    expect(await store.read(A)).toBeUndefined();
    expect(await store.list()).toEqual([]);
    expect(existsSync(folder)).toBe(false);
    await open({ mode: "file" }).write(A);
    expect(await store.read(A)).toEqual(A);
    expect(keychain.reads).toBe(0);
  });

  it("refuses a time that is not a date, which no command could show", async () => {
    const { store } = setUp();
    const token = { accessToken: "access", obtainedAt: 0, expiresAt: 1e300 };
    await expect(store.write({ ...A, token })).rejects.toThrow("its member 'token' is not valid");
    expect(await store.read(A)).toBeUndefined();
  });

  it("lists and removes records", async () => {
    const { store } = setUp();
    await store.write(A);
    await store.write(B);
    const urls = (await store.list()).map((entry) => "record" in entry && entry.record.url);
    expect(urls.toSorted()).toEqual([URL_A, URL_B]);
    expect(await store.remove(A)).toBe(true);
    expect(await store.remove(A)).toBe(false);
    expect(await store.read(A)).toBeUndefined();
    expect(await store.read(B)).toEqual(B);
  });
});

describe("the encryption of records", () => {
  it("hides everything, and is tied to the file name", async () => {
    const { store, fileOf } = setUp();
    await store.write(A);
    const text = readFileSync(fileOf(), "utf8");
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain("a.example");
    renameSync(fileOf(), fileOf(B));
    const { code, text: reason } = await failureOf(store.read(B));
    expect(code).toBe("CREDENTIAL_UNUSABLE");
    expect(reason).toContain("it was changed after it was encrypted");
  });

  it("is different each time, although the record is the same", async () => {
    const { store, fileOf } = setUp();
    await store.write(A);
    const first = readFileSync(fileOf(), "utf8");
    await store.write(A);
    expect(readFileSync(fileOf(), "utf8")).not.toBe(first);
  });

  it.each(["auto", "keychain", "file"] as const)("is undone by mode %s, too", async (mode) => {
    const { open } = setUp();
    await open({ mode: "keychain" }).write(A);
    await open({ mode: "file" }).write(B);
    expect(await open({ mode }).read(A)).toEqual(A);
    expect(await open({ mode }).read(B)).toEqual(B);
  });

  it("follows the configuration while the program runs", async () => {
    let mode: CredentialMode = "file";
    const { store, fileOf } = setUp({ mode: () => mode });
    await store.write(A);
    expect(readFileSync(fileOf(), "utf8")).toContain(CANARY);
    mode = "keychain";
    expect(await store.protection()).toEqual({ kind: "keychain" });
    await store.write(A);
    expect(readFileSync(fileOf(), "utf8")).not.toContain(CANARY);
    expect(await store.read(A)).toEqual(A);
  });

  it("asks to sign in again if the key is gone or was replaced", async () => {
    const { store, open, keychain } = setUp();
    await store.write(A);
    keychain.value = undefined;
    const gone = await failureOf(open().read(A));
    expect(gone.text).toBe(
      "Cannot use the stored sign-in for https://a.example/mcp (account 'default'): the key that encrypted it " +
        "is no longer in the keychain. Sign in again with `mcp-workbench login`",
    );
    await open().write(B);
    expect(keychain.writes).toBe(2);
    expect((await failureOf(open().read(A))).text).toBe(gone.text);
    // A process that knows the old key notices the new one.
    expect(await store.read(B)).toEqual(B);
  });

  it("asks the keychain once for a key that is gone", async () => {
    const { store, open, keychain } = setUp();
    await store.write(A);
    keychain.value = undefined;
    const other = open();
    keychain.reads = 0;
    for (let i = 0; i < 3; i++) await failureOf(other.read(A));
    expect(keychain.reads).toBe(1);
  });

  it("keeps an encrypted record that cannot be read now", async () => {
    const { store, open, keychain, fileOf } = setUp();
    await store.write(A);
    const before = readFileSync(fileOf(), "utf8");
    keychain.failure = "it is locked";
    let now = 0;
    const other = open({ lockTiming: { monotonic: () => now } });
    const { text } = await failureOf(other.read(A));
    expect(text).toContain("it is encrypted, and the keychain cannot be used: it is locked");
    expect(text).toContain("Unlock the keychain");
    expect(readFileSync(fileOf(), "utf8")).toBe(before);
    keychain.failure = undefined;
    now = 60_000;
    expect(await other.read(A)).toEqual(A);
  });
});

describe("a keychain that cannot be used", () => {
  it("makes mode auto store in plain text and say why", async () => {
    const { store, keychain, fileOf } = setUp({ mode: "auto" });
    keychain.failure = "no D-Bus";
    await store.write(A);
    expect(readFileSync(fileOf(), "utf8")).toContain(CANARY);
    expect(await store.read(A)).toEqual(A);
    expect(await store.protection()).toEqual({ kind: "file", reason: "no D-Bus" });
  });

  it("makes mode keychain fail without writing", async () => {
    const { store, keychain, fileOf } = setUp({ mode: "keychain" });
    keychain.failure = "no D-Bus";
    const { code, text } = await failureOf(store.write(A));
    expect(code).toBe("SECRETS_UNAVAILABLE");
    expect(text).toContain("Cannot use the keychain: no D-Bus");
    expect(existsSync(fileOf())).toBe(false);
    expect(await store.protection()).toEqual({ kind: "keychain", reason: "no D-Bus" });
  });

  it("is asked again after a while, not for every record", async () => {
    let now = 0;
    const { store, keychain, fileOf } = setUp({ lockTiming: { monotonic: () => now } });
    keychain.failure = "it is locked";
    for (let i = 0; i < 3; i++) await store.write(A);
    expect(keychain.reads).toBe(1);
    keychain.failure = undefined;
    now = 60_000;
    await store.write(A);
    expect(readFileSync(fileOf(), "utf8")).not.toContain(CANARY);
  });

  it("never gets a damaged key replaced", async () => {
    const { store, keychain } = setUp({ mode: "keychain" });
    keychain.value = "c2hvcnQ=";
    expect((await failureOf(store.write(A))).text).toContain("is not a key");
    expect(keychain.value).toBe("c2hvcnQ=");
  });
});

describe("the key of a store", () => {
  it("is created once by concurrent stores, and requested once by concurrent callers", async () => {
    const { open, keychain } = setUp();
    const stores = Array.from({ length: 4 }, () => open());
    const writes = stores.flatMap((store, i) => [
      store.write(recordOf(`https://${i}.example`)),
      store.write(recordOf(`https://${i}.example`, "second")),
    ]);
    await Promise.all(writes);
    expect(keychain.writes).toBe(1);
    const listed = await open().list();
    expect(listed.filter((entry) => "record" in entry)).toHaveLength(8);
    keychain.reads = 0;
    const fresh = open();
    await Promise.all([fresh.read(recordOf("https://0.example")), fresh.list(), fresh.write(A)]);
    expect(keychain.reads).toBe(1);
  });
});

describe("the lock of a credential", () => {
  it("runs work for a credential one after the other, and for others at the same time", async () => {
    const { store, open, folder } = setUp();
    const events: string[] = [];
    const [started, gate] = [newGate(), newGate()];
    const first = store.withLock(A, async () => {
      started.open();
      await gate.opened;
      events.push("end of first");
      throw new Error("failed");
    });
    await started.opened;
    const second = store.withLock(A, async () => events.push("second"));
    const third = open().withLock(A, async () => events.push("third"));
    await store.withLock(B, async () => events.push("other"));
    gate.open();
    await expect(first).rejects.toThrow("failed");
    await Promise.all([second, third]);
    expect(events.slice(0, 2)).toEqual(["other", "end of first"]);
    expect(events.slice(2).toSorted()).toEqual(["second", "third"]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("shows a failure of its holder to those that wait, and to no caller after that", async () => {
    const { store, open, folder } = setUp({ mode: "file" });
    await store.write(A);
    const failure = { generation: 1, reason: "login.example does not answer", retryAfterMs: 7 };
    const started = newGate();
    const gate = newGate();
    const first = store.withLock(A, async (lock) => {
      started.open();
      await gate.opened;
      await lock.shareFailure(failure);
      return lock.failure;
    });
    await started.opened;
    const waiting = Promise.all(
      [open(), open()].map((other) => other.withLock(A, async (lock) => lock.failure)),
    );
    gate.open();
    expect(await first).toBeUndefined();
    expect(await waiting).toEqual([failure, failure]);
    expect(await open().withLock(A, async (lock) => lock.failure)).toBeUndefined();
    await store.write(A);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it("has an error without secrets if it is not obtained", async () => {
    const { store, open } = setUp({ lockTiming: { maxWaitMs: -1 } });
    const id = recordOf(`https://a.example/mcp?key=${CANARY}`);
    await store.withLock(id, async () => {
      const { code, text } = await failureOf(open().withLock(id, async () => {}));
      expect(code).toBe("CREDENTIAL_BUSY");
      expect(text).toBe(
        "The stored sign-in for https://a.example/mcp (account 'default') is busy: " +
          `process ${process.pid} does not release its lock. Try again`,
      );
    });
  });
});
