import { spawn } from "node:child_process";
import {
  chmodSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { newFolder } from "../../../test/support/new-folder.ts";
import { createToken, recordUses, revokeToken, rotateToken } from "./manage-tokens.ts";
import { isHashOf, newToken, newTokenId, tokenHash, tokenIdIn } from "./token-format.ts";
import { readTokens, updateTokens } from "./token-file.ts";
import { type TokenRecord, parseTokens, principalOf, tokensText } from "./token-record.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = join(newFolder("tokens"), "state");
  file = join(folder, "tokens.json");
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

const ALL = { toolboxes: [], servers: [], readOnly: false };
const NOW = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;

describe("the format of a token", () => {
  it("is mwb_, 8 characters, _, and 43 characters", () => {
    for (let i = 0; i < 200; i++) {
      const id = newTokenId();
      const token = newToken(id);
      expect(token).toMatch(/^mwb_[0-9a-z]{8}_[A-Za-z0-9_-]{43}$/);
      expect(tokenIdIn(token)).toBe(id);
    }
  });

  it("is recognised exactly: any change of one character gives no id, or another hash", () => {
    const token = newToken(newTokenId());
    fc.assert(
      fc.property(fc.nat(token.length), fc.string({ maxLength: 2 }), (at, text) => {
        const changed = token.slice(0, at) + text + token.slice(at + 1);
        if (changed === token) return;
        expect(tokenIdIn(changed) === undefined || !isHashOf(tokenHash(token), changed)).toBe(true);
      }),
    );
  });

  it("does not accept text that only looks similar", () => {
    fc.assert(fc.property(fc.string(), (text) => void expect(tokenIdIn(text)).toBeUndefined()));
    const token = newToken("0a1b2c3d");
    for (const other of [` ${token}`, `${token} `, `${token}\n`, token.toUpperCase(), `${token}=`])
      expect(tokenIdIn(other)).toBeUndefined();
  });
});

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
const time = fc
  .date({ min: new Date(0), max: new Date("9999-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString());
const record: fc.Arbitrary<TokenRecord> = fc.record(
  {
    id: fc.stringMatching(/^[0-9a-z]{8}$/),
    name,
    hash: fc.stringMatching(/^sha256:[0-9a-f]{64}$/),
    readOnly: fc.boolean(),
    createdAt: time,
    toolboxes: fc.array(fc.string()),
    servers: fc.array(fc.string()),
    rotatedAt: time,
    expiresAt: time,
    lastUsedAt: time,
  },
  { requiredKeys: ["id", "name", "hash", "readOnly", "createdAt"] },
);
const records = fc
  .uniqueArray(record, { selector: ({ id }) => id })
  .map((all) => [...new Map(all.map((one) => [one.name, one])).values()]);

const textWith = (...tokens: TokenRecord[]): string => tokensText({ tokens, revoked: [] });

describe("the text of the store", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(records, fc.array(fc.stringMatching(/^[a-z\d]{8}$/)), (tokens, revoked) => {
        const all = { tokens, revoked };
        expect(parseTokens(tokensText(all))).toEqual(all);
      }),
    );
  });

  it("is refused as a whole if it is cut or has anything unexpected in it", () => {
    const key = fc.constantFrom(
      "id",
      "name",
      "hash",
      "readOnly",
      "createdAt",
      "scope",
      "toolboxes",
    );
    const value = fc.constantFrom<unknown>(undefined, null, 7, "", "x", [1], {}, "2026");
    fc.assert(
      fc.property(record, fc.nat(), (one, at) => {
        const text = textWith(one);
        // Without the last line break it is still complete.
        const cut = text.slice(0, at % (text.length - 2));
        expect(() => parseTokens(cut)).toThrow("it is damaged: it is not a JSON object");
      }),
    );
    fc.assert(
      fc.property(record, key, value, (one, member, wrong) => {
        fc.pre(!(member === "name" && wrong !== "" && typeof wrong === "string"));
        fc.pre(!(member === "createdAt" && wrong === "2026"));
        fc.pre(!(wrong === undefined && (member === "scope" || member === "toolboxes")));
        const changed = { ...one, [member]: wrong } as unknown as TokenRecord;
        expect(() => parseTokens(textWith(changed))).toThrow(/^it is damaged: tokens\[0\]/);
      }),
    );
  });

  it.each([
    ["", "not a JSON object"],
    ["[]", "not a JSON object"],
    ["{}", "different version"],
    ['{"version":2,"tokens":[]}', "different version"],
    ['{"version":1}', "no list of tokens"],
  ])("is refused: %j", (text, reason) => {
    expect(() => parseTokens(text)).toThrow(reason);
  });

  it("is refused if two tokens have the same id, or the list of revoked ones is damaged", () => {
    const [one] = fc.sample(record, 1) as [TokenRecord];
    expect(() => parseTokens(textWith(one, { ...one, name: "other" }))).toThrow("same id");
    expect(() => parseTokens('{"version":1,"tokens":[],"revoked":[7]}')).toThrow("revoked");
  });
});

describe("a stored token", () => {
  it("is kept as a hash, in a file and a folder that only its owner can use", async () => {
    const { token, record } = await createToken(file, { ...ALL, name: "ci" }, NOW);
    expect(readFileSync(file, "utf8")).not.toContain(token.slice(-43));
    expect(readTokens(file)).toEqual([record]);
    expect(record).toEqual({
      id: tokenIdIn(token),
      name: "ci",
      hash: tokenHash(token),
      readOnly: false,
      createdAt: new Date(NOW).toISOString(),
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toEqual(["tokens.json"]);
  });

  it("stands for a principal with its name, and with an id that no other token gets", async () => {
    const limits = { toolboxes: ["dev"], servers: ["ops/logs"], readOnly: true };
    const { record } = await createToken(file, { ...limits, name: "ci" }, NOW);
    const principal = principalOf(record);
    expect(principal).toMatchObject({
      kind: "token",
      id: `token:${record.id}`,
      name: "ci",
      ...limits,
    });
    const { record: rotated } = await rotateToken(file, "ci");
    const { issue, ...same } = principalOf(rotated);
    expect(principal).toMatchObject(same);
    expect(issue).not.toBe(principal.issue);
    await revokeToken(file, "ci");
    const { record: again } = await createToken(file, { ...limits, name: "ci" });
    expect(again.id).not.toBe(record.id);
  });

  it("sees nothing in toolboxes if it is limited to servers, and the other way round", async () => {
    const one = await createToken(file, { ...ALL, name: "a", servers: ["dev/x"] });
    const two = await createToken(file, { ...ALL, name: "b", toolboxes: ["dev"] });
    const all = await createToken(file, { ...ALL, name: "c" });
    expect(principalOf(one.record)).toMatchObject({ toolboxes: [], servers: ["dev/x"] });
    expect(principalOf(two.record)).toMatchObject({ toolboxes: ["dev"], servers: [] });
    expect(principalOf(all.record)).not.toHaveProperty("toolboxes");
  });

  it("is valid for the same time again when it is rotated", async () => {
    await createToken(file, { ...ALL, name: "ci", lifetimeMs: 30 * DAY }, NOW);
    const first = await rotateToken(file, "ci", NOW + 20 * DAY);
    expect(first.record.expiresAt).toBe(new Date(NOW + 50 * DAY).toISOString());
    const second = await rotateToken(file, "ci", NOW + 25 * DAY);
    expect(second.record.expiresAt).toBe(new Date(NOW + 55 * DAY).toISOString());
    expect(isHashOf(second.record.hash, first.token)).toBe(false);
    expect(isHashOf(second.record.hash, second.token)).toBe(true);
  });

  it("remembers its last use, and never an earlier one", async () => {
    const { record } = await createToken(file, { ...ALL, name: "ci" });
    const at = "2026-02-01T10:00:00.000Z";
    await recordUses(file, new Map([[record.id, at]]));
    const before = readFileSync(file, "utf8");
    await recordUses(
      file,
      new Map([
        [record.id, "2026-01-01T10:00:00.000Z"],
        ["gone0000", at],
      ]),
    );
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(readTokens(file)).toEqual([{ ...record, lastUsedAt: at }]);
  });

  it.each(["", " ", "a b", "-x", "../x", "a/b", "ü", "x".repeat(65), "a\n", "*"])(
    "cannot have the name %j",
    async (bad) => {
      await expect(createToken(file, { ...ALL, name: bad })).rejects.toThrow("not a valid name");
    },
  );

  it.each(["owner", "Owner", "stdio", "local"])("cannot be taken for '%s'", async (reserved) => {
    await expect(createToken(file, { ...ALL, name: reserved })).rejects.toThrow("is reserved");
  });

  it("has a name of its own, in any case", async () => {
    await createToken(file, { ...ALL, name: "CI" });
    await expect(createToken(file, { ...ALL, name: "ci" })).rejects.toThrow("a token 'CI' already");
    await expect(revokeToken(file, "CIs")).rejects.toMatchObject({ hint: "Did you mean 'CI'?" });
  });
});

describe("the file of the tokens", () => {
  // Windows has no permission bits.
  it.runIf(process.platform !== "win32")(
    "is not used if others could have changed it",
    async () => {
      await createToken(file, { ...ALL, name: "ci" });
      chmodSync(file, 0o622);
      expect(() => readTokens(file)).toThrow(/Cannot use the access tokens in .*: other users can/);
      await expect(revokeToken(file, "ci")).rejects.toThrow("other users can change");
      chmodSync(file, 0o644);
      expect(readTokens(file)).toHaveLength(1);
      await createToken(file, { ...ALL, name: "two" });
      expect(statSync(file).mode & 0o777).toBe(0o600);
    },
  );

  // Links need special rights on Windows.
  it.runIf(process.platform !== "win32")("is not used if it is a link", async () => {
    await createToken(file, { ...ALL, name: "ci" });
    const link = join(folder, "link.json");
    symlinkSync(file, link);
    expect(() => readTokens(link)).toThrow("it is a symbolic link");
    await expect(createToken(link, { ...ALL, name: "x" })).rejects.toThrow("it is a symbolic link");
  });

  it("is not overwritten if it is damaged", async () => {
    await createToken(file, { ...ALL, name: "ci" });
    writeFileSync(file, "{", { mode: 0o600 });
    await expect(createToken(file, { ...ALL, name: "x" })).rejects.toThrow("not a JSON object");
    expect(readFileSync(file, "utf8")).toBe("{");
  });

  it("keeps the changes of all concurrent writers", async () => {
    const names = Array.from({ length: 12 }, (_, i) => `t${i}`);
    await Promise.all(names.map((one) => createToken(file, { ...ALL, name: one })));
    expect(new Set(readTokens(file).map((one) => one.name))).toEqual(new Set(names));
    await Promise.all([
      ...names.slice(0, 4).map((one) => revokeToken(file, one)),
      ...names.slice(4, 8).map((one) => rotateToken(file, one)),
      createToken(file, { ...ALL, name: "last" }),
    ]);
    expect(
      readTokens(file)
        .map((one) => one.name)
        .sort(),
    ).toEqual([...names.slice(4), "last"].sort());
  });

  it("survives writers that are killed, with the old or the new tokens", async () => {
    await createToken(file, { ...ALL, name: "first" });
    const code = `
      import { createToken } from ${JSON.stringify(new URL("manage-tokens.ts", import.meta.url).href)};
      for (let i = 0; ; i++) {
        await createToken(process.argv[1], { name: process.argv[2] + i, toolboxes: [], servers: [], readOnly: false });
        console.log(i);
      }`;
    for (const prefix of ["a", "b"]) {
      const args = ["--import", "tsx", "--input-type=module", "-e", code, file, prefix];
      const writer = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      // It has written some tokens, and is in the middle of the next ones.
      let lines = 0;
      await new Promise<void>((resolve) => {
        writer.stdout.on("data", (data: Buffer) => {
          lines += String(data).split("\n").length - 1;
          if (lines >= 5) resolve();
        });
      });
      const exited = new Promise((resolve) => writer.once("exit", resolve));
      writer.kill("SIGKILL");
      await exited;
      const found = readTokens(file).map((one) => one.name);
      expect(found.filter((one) => one.startsWith(prefix)).length).toBeGreaterThanOrEqual(5);
      expect(found[0]).toBe("first");
    }
    // The lock of the killed process does not keep others from writing.
    await updateTokens(file, (tokens) => ({ next: tokens.slice(0, 1), result: undefined }));
    expect(readTokens(file).map((one) => one.name)).toEqual(["first"]);
  });
});
