import { describe, expect, it } from "vitest";

import { userIn } from "./claims.ts";

const plain = { sub: "alice", exp: 2000, scope: "a b" };
const names = { subject: "sub" };

describe("the user in a token", () => {
  it("has the scopes of `scope` and `scp`, as text or as a list", () => {
    expect(userIn(plain, names)).toEqual({
      subject: "alice",
      name: "alice",
      scopes: ["a", "b"],
      expiresAt: 2_000_000,
    });
    expect(userIn({ ...plain, scp: ["c", 1] }, names)).toMatchObject({ scopes: ["a", "b", "c"] });
    expect(userIn({ ...plain, scope: undefined }, names)).toMatchObject({ scopes: [] });
  });

  it("has what other claims say, by name or by path", () => {
    const claims = {
      ...plain,
      realm_access: { roles: ["dev"] },
      "https://example.com/groups": ["ops"],
      oid: "1-2",
      preferred_username: "Alice A",
    };
    const by = (scope: string) => ({ scope, subject: "oid", name: "preferred_username" });
    expect(userIn(claims, by("realm_access.roles"))).toMatchObject({
      subject: "1-2",
      name: "Alice A",
      scopes: ["dev"],
    });
    expect(userIn(claims, by("https://example.com/groups"))).toMatchObject({ scopes: ["ops"] });
    expect(userIn(claims, by("realm_access.roles.length"))).toMatchObject({ scopes: [] });
    expect(userIn(claims, by("constructor.name"))).toMatchObject({ scopes: [] });
  });

  it.each([
    [{ ...plain, nonce: "n" }, "ID token"],
    [{ ...plain, at_hash: "h" }, "ID token"],
    [{ ...plain, token_use: "id" }, "ID token"],
    [{ ...plain, typ: "ID" }, "not an access token"],
    [{ ...plain, typ: "Refresh" }, "not an access token"],
    [{ ...plain, typ: "Logout", events: {} }, "not an access token"],
    [{ ...plain, events: {} }, "not an access token"],
    [{ ...plain, cnf: { jkt: "k" } }, "bound to a key"],
    [{ sub: "alice" }, "no expiry"],
    [{ exp: 1 }, "does not name a user"],
    [{ ...plain, sub: "" }, "does not name a user"],
    [{ ...plain, sub: " a" }, "does not name a user"],
    [{ ...plain, sub: "a\u001b[31m" }, "does not name a user"],
    [{ ...plain, sub: "a".repeat(256) }, "does not name a user"],
    [{ ...plain, sub: 7 }, "does not name a user"],
  ])("is not taken from %j", (claims, reason) => {
    expect(userIn(claims, names)).toContain(reason);
  });
});
