import { describe, expect, it } from "vitest";

import { onlyReadsAt } from "../../calls/principal.ts";
import { accessOf, reaches, requestsFor, scopesFor } from "./granted.ts";

const SCOPES = {
  dev: { toolboxes: ["dev"], readOnly: false },
  "ops:read": { toolboxes: ["ops"], readOnly: true },
  "ops:log": { servers: ["ops/log"], readOnly: false },
  all: { readOnly: false },
  "all:read": { readOnly: true },
  staff: { toolboxes: ["staff"], readOnly: false, request: ["openid", "profile"] },
  guests: { toolboxes: ["staff"], readOnly: true, request: [] },
  nothing: { toolboxes: [], readOnly: false },
};

describe("what scopes allow", () => {
  it.each([
    [[], { toolboxes: [], servers: [], readOnly: true }],
    [["toString", "other"], { toolboxes: [], servers: [], readOnly: true }],
    [["nothing"], { toolboxes: [], servers: [], readOnly: false }],
    [["dev", "dev"], { toolboxes: ["dev"], servers: [], readOnly: false }],
    [["ops:read"], { toolboxes: ["ops"], servers: [], readOnly: true }],
    [
      ["ops:read", "dev"],
      {
        toolboxes: ["dev", "ops"],
        servers: [],
        readOnly: true,
        writable: { toolboxes: ["dev"], servers: [] },
      },
    ],
    [["all:read"], { readOnly: true }],
    [["all:read", "dev"], { readOnly: true, writable: { toolboxes: ["dev"], servers: [] } }],
    [["all", "ops:read"], { readOnly: false }],
  ])("%j", (granted, access) => {
    expect(accessOf(granted, SCOPES)).toEqual(access);
  });

  it("keeps what may only be read apart from the rest", () => {
    const access = accessOf(["ops:read", "ops:log", "dev"], SCOPES);
    const readsOnly = (toolbox: string, server: string): boolean =>
      onlyReadsAt(access, { toolbox, server });
    expect(readsOnly("dev", "git")).toBe(false);
    expect(readsOnly("ops", "log")).toBe(false);
    expect(readsOnly("ops", "deploy")).toBe(true);
  });
});

describe("the scopes of an address", () => {
  it.each([
    [[], ["dev", "ops:read", "ops:log", "all", "all:read", "staff", "guests"]],
    [["dev"], ["dev", "all", "all:read"]],
    [["ops"], ["ops:read", "ops:log", "all", "all:read"]],
    [
      ["ops", "log"],
      ["ops:read", "ops:log", "all", "all:read"],
    ],
    [
      ["ops", "deploy"],
      ["ops:read", "all", "all:read"],
    ],
  ])("%j", (names, scopes) => {
    expect(scopesFor(names, SCOPES)).toEqual(scopes);
    // The same rule decides who is let in.
    for (const scope of Object.keys(SCOPES))
      expect(reaches(accessOf([scope], SCOPES), names)).toBe(scopes.includes(scope));
  });
});

it("what clients ask for are the scopes, or what the configuration says", () => {
  expect(requestsFor(["dev", "staff", "guests"], SCOPES)).toEqual(["dev", "openid", "profile"]);
  expect(requestsFor(["guests"], SCOPES)).toEqual([]);
});
