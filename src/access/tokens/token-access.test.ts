import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { newFolder } from "../../../test/support/new-folder.ts";
import type { Principal } from "../../calls/principal.ts";
import { NO_LOG, type Logger } from "../../log.ts";
import { createToken, recordUses, revokeToken, rotateToken } from "./manage-tokens.ts";
import { TokenAccess } from "./token-access.ts";
import { readTokens } from "./token-file.ts";
import { newToken } from "./token-format.ts";

let folder: string;
let file: string;
let now: number;
let ended: Principal[];
let errors: string[];
let access: TokenAccess;

const ALL = { toolboxes: [], servers: [], readOnly: false };
const HOUR = 3_600_000;

/** Checks only when the test asks for it. */
function start(): void {
  const log: Logger = { ...NO_LOG, error: (text) => void errors.push(text) };
  const onEnded = (principal: Principal): void => void ended.push(principal);
  access = new TokenAccess({ file, log, onEnded, now: () => now, checkMs: 2 ** 30 });
}

beforeEach(() => {
  folder = newFolder("token-access");
  file = join(folder, "tokens.json");
  now = Date.UTC(2026, 0, 1);
  ended = [];
  errors = [];
  start();
});
afterEach(async () => {
  await access.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("the access by tokens", () => {
  it("begins when a token is created, without waiting", async () => {
    const { token, record } = await createToken(file, { ...ALL, name: "ci" }, now);
    expect(access.find(token)).toMatchObject({ kind: "token", name: "ci" });
    expect(access.find(newToken(record.id))).toBe("unknown");
    expect(access.find(newToken("00000000"))).toBe("unknown");
    expect(access.find("")).toBe("unknown");
  });

  it("gives a token the same principal as long as its access is the same", async () => {
    const { token, record } = await createToken(file, { ...ALL, name: "ci" }, now);
    const principal = access.find(token);
    await recordUses(file, new Map([[record.id, "2026-01-01T00:00:00.000Z"]]));
    await createToken(file, { ...ALL, name: "two" }, now);
    expect(access.find(token)).toBe(principal);
    expect(ended).toEqual([]);
  });

  it.each(["revoked", "rotated", "widened"] as const)("ends when it is %s", async (how) => {
    const { token } = await createToken(file, { ...ALL, name: "ci", toolboxes: ["dev"] }, now);
    const principal = access.find(token);
    if (how === "revoked") await revokeToken(file, "ci");
    else if (how === "rotated") await rotateToken(file, "ci", now);
    else writeFileSync(file, readFileSync(file, "utf8").replace('"dev"', '"dev", "ops"'));
    access.check();
    expect(ended).toEqual([principal]);
    expect(access.find(token)).not.toBe(principal);
  });

  it("changes when the file gives the token other limits", async () => {
    const { token } = await createToken(file, { ...ALL, name: "ci", toolboxes: ["dev"] }, now);
    expect(access.find(token)).toMatchObject({ toolboxes: ["dev"] });
    writeFileSync(file, readFileSync(file, "utf8").replace('"dev"', '"ops"'));
    expect(access.find(token)).toMatchObject({ toolboxes: ["ops"] });
    expect(ended).toHaveLength(1);
  });

  it("ends at the expiry, also after a restart", async () => {
    const { token } = await createToken(file, { ...ALL, name: "ci", lifetimeMs: HOUR }, now);
    const principal = access.find(token);
    now += HOUR - 1;
    access.check();
    expect(ended).toEqual([]);
    expect(access.find(token)).toBe(principal);
    now += 1;
    access.check();
    expect(ended).toEqual([principal]);
    expect(access.find(token)).toBe("expired");
    await access.close();
    start();
    expect(access.find(token)).toBe("expired");
  });

  it("ends for all tokens if the file is damaged, and returns when it is repaired", async () => {
    const one = await createToken(file, { ...ALL, name: "one" }, now);
    const two = await createToken(file, { ...ALL, name: "two" }, now);
    const before = [access.find(one.token), access.find(two.token)];
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.slice(0, -10));
    access.check();
    access.check();
    expect(ended).toEqual(before);
    expect([access.find(one.token), access.find(two.token)]).toEqual(["unknown", "unknown"]);
    expect(errors).toEqual([
      `Cannot use the access tokens in ${file}: it is damaged: it is not a JSON object. No token is accepted until it is repaired or moved away`,
    ]);
    writeFileSync(file, text);
    expect(access.find(one.token)).toMatchObject({ name: "one" });
  });

  // Windows has no permission bits.
  it.runIf(process.platform !== "win32")("ends if others could have changed the file", async () => {
    const { token } = await createToken(file, { ...ALL, name: "ci" }, now);
    const principal = access.find(token);
    chmodSync(file, 0o666);
    access.check();
    expect(ended).toEqual([principal]);
    expect(errors[0]).toContain("other users can change it (mode 666)");
  });

  it("ends if the file is deleted", async () => {
    const { token } = await createToken(file, { ...ALL, name: "ci" }, now);
    const principal = access.find(token);
    rmSync(file);
    expect(access.find(token)).toBe("unknown");
    expect(ended).toEqual([principal]);
  });

  it("records the minute of the last use", async () => {
    const { token } = await createToken(file, { ...ALL, name: "ci" }, now);
    now += 12_345;
    access.find(token);
    now += 40_000;
    access.find(token);
    await access.close();
    expect(readTokens(file)[0]?.lastUsedAt).toBe("2026-01-01T00:00:00.000Z");
  });
});
