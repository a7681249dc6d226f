import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { CredentialRecord } from "./record.ts";
import {
  type SharedRecord,
  type SyncPoint,
  currentRecord,
  parseShared,
  parseSyncPoint,
  recordHash,
  sharedText,
} from "./shared-record.ts";

const record = (obtainedAt: number): CredentialRecord => ({
  version: 1,
  url: "https://mcp.example.com/mcp",
  account: "default",
  generation: obtainedAt,
  token: { accessToken: `token-${obtainedAt}`, obtainedAt },
});

/** One machine and what replicas share, as `SharedStore` keeps them. */
class Machine {
  local: CredentialRecord | undefined;
  known: SyncPoint | undefined;

  sync(shared: SharedRecord | undefined): SharedRecord | undefined {
    const current = currentRecord(this.local, this.known, shared);
    if (current === "shared" && shared !== undefined) this.local = shared.record;
    const stamp = Math.max(this.known?.stamp ?? 0, shared?.stamp ?? 0);
    const next = current === "local" ? { stamp: stamp + 1, record: this.local } : shared;
    if (next !== undefined)
      this.known = { stamp: next.stamp, hash: recordHash(this.local), isOwn: current === "local" };
    return next;
  }
}

describe("a sign-in that replicas share", () => {
  it("is taken over by a machine that has changed nothing, and so is a logout", () => {
    const [a, b] = [new Machine(), new Machine()];
    a.local = record(1);
    let shared = b.sync(a.sync(undefined));
    expect(b.local).toEqual(a.local);
    a.local = undefined;
    shared = b.sync(a.sync(shared));
    expect([b.local, shared?.record]).toEqual([undefined, undefined]);
    // A machine that was away for long does not bring it back.
    const c = new Machine();
    expect(c.sync(shared)).toEqual(shared);
  });

  it("stays ended if one machine logged out while another one refreshed the token", () => {
    const [a, b] = [new Machine(), new Machine()];
    a.local = record(1);
    let shared = b.sync(a.sync(undefined));
    a.local = undefined;
    b.local = record(2);
    shared = b.sync(shared);
    shared = a.sync(shared);
    b.sync(shared);
    expect([a.local, b.local, shared?.record]).toEqual([undefined, undefined, undefined]);
  });

  it("is the one with the newest token after Redis has lost its data, or its last changes", () => {
    const [a, b] = [new Machine(), new Machine()];
    a.local = record(1);
    const first = b.sync(a.sync(undefined));
    a.local = record(2);
    a.sync(first);
    expect(a.sync(first)?.record).toEqual(record(2));
    expect(b.sync(a.sync(undefined))?.record).toEqual(record(2));
  });

  it("becomes the same everywhere, whatever happened without Redis", () => {
    const action = fc.record({
      kind: fc.constantFrom("log in", "log out", "sync", "forget"),
      at: fc.constantFrom<0 | 1 | 2>(0, 1, 2),
    });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
        const machines = [new Machine(), new Machine(), new Machine()] as const;
        let shared: SharedRecord | undefined;
        for (const [i, { kind, at }] of actions.entries()) {
          if (kind === "log in") machines[at].local = record(i);
          else if (kind === "log out") machines[at].local = undefined;
          else if (kind === "sync") shared = machines[at].sync(shared);
          else shared = undefined;
        }
        for (const machine of [...machines, ...machines, ...machines])
          shared = machine.sync(shared);
        for (const machine of machines) {
          expect(machine.local).toEqual(shared?.record);
          expect(machine.sync(shared)).toBe(shared);
        }
      }),
    );
  });

  it("is written and read without a loss; what is damaged is refused", () => {
    const one = { stamp: 3, record: record(1) };
    expect(parseShared(sharedText(one))).toEqual(one);
    expect(parseShared(sharedText({ stamp: 4, record: undefined })).record).toBeUndefined();
    for (const text of ["", "{}", '{"version":1,"stamp":1,"record":{}}'])
      expect(() => parseShared(text)).toThrow(Error);
    expect(parseSyncPoint("{}")).toBeUndefined();
  });
});
