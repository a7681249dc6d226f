import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { scopesOf, scopeToRequest } from "./scopes.ts";
import type { OAuthSettings } from "../config/types.ts";

const SETTINGS: OAuthSettings = { account: "default", grant: "authorization_code" };

interface Case {
  readonly challenge?: string;
  readonly listed?: string[];
  /** The scopes of the authorization server. */
  readonly offered?: string[];
  readonly settings?: Partial<OAuthSettings>;
  readonly previous?: string;
}

function request({ challenge, listed, offered, settings, previous }: Case): string | undefined {
  const server = { issuer: "https://as.example", ...(offered && { scopes_supported: offered }) };
  return scopeToRequest(
    challenge === undefined ? undefined : { scope: challenge },
    { server, ...(listed && { scopesSupported: listed }) },
    { ...SETTINGS, ...settings },
    previous,
  );
}

describe("scopeToRequest", () => {
  it.each<[string, Case, string | undefined]>([
    ["the challenge first", { challenge: "a b", listed: ["c"] }, "a b"],
    ["then the server's list", { listed: ["c", "d"] }, "c d"],
    ["otherwise none", {}, undefined],
    ["configured ones before all", { settings: { scopes: ["x"] }, challenge: "a" }, "x"],
    ["none if so configured", { settings: { scopes: [] }, listed: ["a"] }, undefined],
    [
      "offline access where it is offered",
      { listed: ["a"], offered: ["offline_access"] },
      "a offline_access",
    ],
    ["offline access not alone", { offered: ["offline_access"] }, undefined],
    ["no offline access where it is not offered", { listed: ["a", "offline_access"] }, "a"],
    ["no offline access against the list", { challenge: "a offline_access", offered: ["a"] }, "a"],
    ["configured offline access", { settings: { scopes: ["offline_access"] } }, "offline_access"],
    [
      "no offline access added to configured ones",
      { settings: { scopes: ["a"] }, offered: ["offline_access"] },
      "a",
    ],
    [
      "no offline access for a machine",
      { listed: ["a"], offered: ["offline_access"], settings: { grant: "client_credentials" } },
      "a",
    ],
    ["a step up in addition", { previous: "a b", challenge: "b c" }, "a b c"],
    [
      "a step up in addition to configured ones",
      { previous: "x", challenge: "c", settings: { scopes: ["x"] } },
      "x c",
    ],
    ["the previous ones if nothing is asked for", { previous: "a" }, "a"],
    ["no invalid ones", { listed: ["a", 'b"', "c d", "é", "", "\n"] }, "a"],
    ["none if they are too long", { listed: ["x".repeat(5000)] }, undefined],
  ])("requests %s", (_, given, expected) => {
    expect(request(given)).toBe(expected);
  });

  it("loses nothing in a step up, and repeats nothing", () => {
    const scope = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(scope, scope, (previous, asked) => {
        const given = { previous: previous.join(" "), challenge: asked.join(" ") };
        const found = scopesOf(request(given));
        expect(found.toSorted()).toEqual([...new Set([...previous, ...asked])].toSorted());
      }),
    );
  });
});
