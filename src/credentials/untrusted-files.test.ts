import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

import { failureOf, storeForTest } from "../../test/support/credential-store.ts";
import { CANARY, recordOf } from "../../test/support/credentials.ts";
import { perTest } from "../../test/support/disposables.ts";
import type { StoreOptions } from "./store.ts";

const disposables = perTest();
const URL_B = "https://b.example/mcp";
const A = recordOf("https://a.example/mcp");
const B = recordOf(URL_B);
const setUp = (options: Partial<StoreOptions> = {}) => storeForTest(disposables, A, options);

describe("a file that cannot be trusted", () => {
  const damages: readonly (readonly [string, string, string])[] = [
    ["empty", "", "it is not a JSON object"],
    ["cut off", `{"version":1,"record":{"token":"${CANARY}`, "it is not a JSON object"],
    ["of a newer version", `{"version":2,"x":"${CANARY}"}`, "a newer version"],
    ["without a record", `{"version":1,"x":"${CANARY}"}`, "does not contain a record"],
    [
      "with a wrong member",
      JSON.stringify({ version: 1, record: { ...A, token: { accessToken: CANARY } } }),
      "its member 'token' is not valid",
    ],
    ["of another server", JSON.stringify({ version: 1, record: B }), "a different server"],
    ["with an unknown cipher", `{"version":1,"cipher":"${CANARY}"}`, "in an unknown way"],
    ["without its tag", '{"version":1,"cipher":"aes-256-gcm"}', "its encryption is incomplete"],
  ];

  it.each(damages)("is reported and kept if it is %s", async (_, text, reason) => {
    const { store, fileOf } = setUp({ mode: "file" });
    await store.write(B);
    writeFileSync(fileOf(), text, { mode: 0o600 });
    const failure = await failureOf(store.read(A));
    expect(failure.code).toBe("CREDENTIAL_UNUSABLE");
    expect(failure.text).toContain(reason);
    expect(readFileSync(fileOf(), "utf8")).toBe(text);
    expect(await store.read(B)).toEqual(B);
    const listed = await store.list();
    expect(listed.flatMap((entry) => ("record" in entry ? [entry.record.url] : []))).toEqual([
      URL_B,
    ]);
    expect(listed.flatMap((entry) => ("problem" in entry ? [entry.file] : []))).toEqual([fileOf()]);
    await store.write(A);
    expect(await store.read(A)).toEqual(A);
  });

  it("is refused if it is a symbolic link", async () => {
    const { store, fileOf, folder } = setUp({ mode: "file" });
    await store.write(A);
    const elsewhere = join(folder, "elsewhere");
    renameSync(fileOf(), elsewhere);
    symlinkSync(elsewhere, fileOf());
    expect((await failureOf(store.read(A))).text).toContain("is a symbolic link");
    expect((await failureOf(store.write(A))).code).toBe("FILE_NOT_WRITABLE");
    expect(await store.remove(A)).toBe(true);
    expect(existsSync(elsewhere)).toBe(true);
  });

  it("is refused if others can change it, and made private if they can read it", async () => {
    const { store, fileOf } = setUp({ mode: "file" });
    await store.write(A);
    chmodSync(fileOf(), 0o644);
    expect(await store.read(A)).toEqual(A);
    expect(statSync(fileOf()).mode & 0o777).toBe(0o600);
    chmodSync(fileOf(), 0o666);
    expect((await failureOf(store.read(A))).text).toContain("other users can change");
    await store.write(A);
    expect(statSync(fileOf()).mode & 0o777).toBe(0o600);
    expect(await store.read(A)).toEqual(A);
  });

  it("is not looked for in a folder that is a symbolic link", async () => {
    const { store, folder, fileOf } = setUp({ mode: "file" });
    await store.write(A);
    renameSync(folder, `${folder}-moved`);
    symlinkSync(`${folder}-moved`, folder);
    expect(existsSync(fileOf())).toBe(true);
    for (const work of [store.read(A), store.write(A), store.list(), store.remove(A)])
      expect((await failureOf(work)).code).toBe("FOLDER_UNUSABLE");
  });
});

describe("the check of a store", () => {
  it("finds nothing wrong with a new store, nor creates it", async () => {
    const { store, folder } = setUp();
    expect(await store.check()).toEqual({
      folder,
      mode: "auto",
      protection: { kind: "keychain" },
      records: { encrypted: 0, plain: 0 },
      problems: [],
    });
    expect(existsSync(folder)).toBe(false);
  });

  it("reports permissions, damaged files and a keychain that fails", async () => {
    const { open, folder, fileOf, keychain } = setUp({ mode: "keychain" });
    await open().write(A);
    await open({ mode: "file" }).write(B);
    chmodSync(folder, 0o755);
    chmodSync(fileOf(B), 0o644);
    const healthyKey = await open().check();
    expect(healthyKey.records).toEqual({ encrypted: 1, plain: 1 });
    expect(healthyKey.problems).toEqual([
      expect.stringContaining(`access to ${folder} (mode 755)`),
      expect.stringContaining(`access to ${fileOf(B)} (mode 644)`),
      expect.stringContaining("Not encrypted yet: 1 of the stored sign-ins"),
    ]);
    keychain.failure = "it is locked";
    writeFileSync(fileOf(B), CANARY);
    const { problems } = await open().check();
    expect(problems).toHaveLength(3);
    for (const part of [
      `in ${fileOf()}: it is encrypted, and the keychain cannot be used`,
      `in ${fileOf(B)}: it is damaged`,
      "The keychain cannot be used: it is locked.",
    ])
      expect(problems.join()).toContain(part);
    expect(problems.join()).not.toContain(CANARY);
  });

  it("reports a folder that is a file", async () => {
    const { store, folder } = setUp();
    mkdirSync(dirname(folder), { recursive: true });
    writeFileSync(folder, "");
    expect((await store.check()).problems).toEqual([
      expect.stringContaining("it is not a folder") as string,
    ]);
    await expect(store.prepare()).rejects.toMatchObject({ code: "FOLDER_UNUSABLE" });
  });
});
