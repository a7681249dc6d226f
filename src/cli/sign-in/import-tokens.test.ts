import { describe, expect, it } from "vitest";

import { parseTokens } from "./import-tokens.ts";

describe("imported tokens", () => {
  const parse = (value: object) => parseTokens(JSON.stringify(value), 1_000_000);

  it("are what a token endpoint sends, with the client they belong to", () => {
    expect(
      parse({
        access_token: "access",
        token_type: "bearer",
        refresh_token: "refresh",
        expires_in: 60,
        scope: "a b",
        client_id: "client",
      }),
    ).toEqual({
      accessToken: "access",
      refreshToken: "refresh",
      expiresAt: 1_060_000,
      scope: "a b",
      clientId: "client",
    });
  });

  it.each([
    [{ expires_at: 2000 }, 2_000_000],
    [{ expires_at: "2026-01-01T00:00:00Z" }, Date.UTC(2026, 0)],
    [{ expires_in: "60" }, 1_060_000],
    [{ expires_at: 1_800_000_000_000 }, 1_800_000_000_000],
    [{ expires_in: null }, undefined],
    // As from a token endpoint, that means no expiry.
    [{ expires_in: 0 }, undefined],
    [{ expires_in: -1 }, undefined],
    [{}, undefined],
  ])("with %j expire at %s", (times, expected) => {
    expect(parse({ access_token: "access", ...times }).expiresAt).toBe(expected);
  });

  it("may have null for what is not known", () => {
    const unknown = { token_type: null, refresh_token: null, scope: null, expires_at: null };
    expect(parse({ access_token: "access", ...unknown })).toEqual({ accessToken: "access" });
  });

  it("may begin with a byte order mark", () => {
    expect(parseTokens('\uFEFF{"access_token":"access"}', 0)).toEqual({ accessToken: "access" });
  });

  it("that have expired are accepted only if they can be refreshed", () => {
    const expired = { access_token: "access", expires_at: 999 };
    expect(() => parse(expired)).toThrow("has expired");
    expect(parse({ ...expired, refresh_token: "refresh" }).expiresAt).toBe(999_000);
  });

  it.each([
    ["{secret", "not JSON"],
    ["[]", "not a JSON object"],
    ['{"refresh_token":"secret"}', "access_token is missing"],
    ['{"access_token":"secret\\nX: y"}', "characters that tokens do not have"],
    ['{"access_token":"secret","token_type":"DPoP"}', "token_type is not Bearer"],
    ['{"access_token":"secret","expires_in":"soon"}', "is not a time"],
    ['{"access_token":"secret","expires_in":1e300}', "is not a time"],
    ['{"access_token":"secret","expires_at":1e16}', "is not a time"],
    ['{"access_token":"secret","scope":"a\\u001b[2Jb"}', "scope contains control characters"],
    ['{"access_token":"secret","scope":"a\\nb"}', "scope contains control characters"],
    ['{"access_token":"secret","client_id":"a\\u0000b"}', "client_id contains control"],
    ['{"access_token":"secret","client_id":["a"]}', "client_id is not a text"],
    [`{"access_token":"secret","scope":"${"x".repeat(5000)}"}`, "scope has more than 4000"],
  ])("are refused without being shown: %s", (text, reason) => {
    expect(() => parseTokens(text, 0)).toThrow(reason);
    expect(() => parseTokens(text, 0)).not.toThrow("secret");
  });
});
