import { describe, expect, it } from "vitest";

import { FakeCluster } from "../../../test/support/fake-cluster.ts";
import { type TokenRecord, principalOf } from "../../access/tokens/token-record.ts";
import { OWNER_PRINCIPAL } from "../../calls/principal.ts";
import { SessionTokens } from "./session-tokens.ts";

const RECORD: TokenRecord = {
  id: "00000001",
  name: "ci",
  hash: `sha256:${"1".repeat(64)}`,
  readOnly: false,
  createdAt: "2026-01-01T00:00:00.000Z",
};

describe("a session id", () => {
  const cluster = new FakeCluster();
  const [here, there] = [
    new SessionTokens(cluster.link("a")),
    new SessionTokens(cluster.link("b")),
  ];

  it("is valid on all replicas, for one principal at one address", () => {
    const { id, uid } = here.create(principalOf(RECORD), "/mcp", {});
    const used = { ...RECORD, lastUsedAt: "2026-01-02T00:00:00.000Z" };
    expect(there.open(id, principalOf(used), "/mcp")?.uid).toBe(uid);
    expect(there.open(id, principalOf(RECORD), "/mcp/dev")).toBeUndefined();
    expect(there.open(id, OWNER_PRINCIPAL, "/mcp")).toBeUndefined();
  });

  it.each([
    ["is rotated", { hash: `sha256:${"2".repeat(64)}`, rotatedAt: "2026-01-02T00:00:00.000Z" }],
    ["may read only", { readOnly: true }],
    ["gets a scope", { toolboxes: ["dev"] }],
  ])("ends when its token %s, also if the owner of the session is gone", (_, change) => {
    const { id } = here.create(principalOf(RECORD), "/mcp", {});
    expect(there.open(id, principalOf({ ...RECORD, ...change }), "/mcp")).toBeUndefined();
  });
});
