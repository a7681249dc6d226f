import { rmSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { FakeSharedText } from "../../../test/support/fake-shared-text.ts";
import { newFolder } from "../../../test/support/new-folder.ts";
import { type SharedFile, syncSharedFile } from "../state-file.ts";
import {
  type ApprovalRecord,
  type Approvals,
  DECISIONS,
  approvalsText,
} from "./approval-record.ts";
import { APPROVALS_FORMAT } from "./approvals-file.ts";
import {
  type NeededApproval,
  answerApproval,
  isWatched,
  pendingApprovals,
  standingOf,
  watchApprovals,
  withdrawAlways,
} from "./manage-approvals.ts";
import { mergeApprovals } from "./merge-approvals.ts";

const NEEDED: NeededApproval = {
  principal: "token:1",
  client: "ci",
  toolbox: "dev",
  server: "git",
  tool: "push",
  identity: "node git.js",
  arguments: "{}",
  shown: [],
  reason: "",
  isAboutArguments: false,
  policy: "p",
  definition: "d",
};

let folder: string;
let text: FakeSharedText;
let cutOff: { isCutOff: boolean };
let a: SharedFile;
let b: SharedFile;
beforeEach(() => {
  folder = newFolder("approvals");
  text = new FakeSharedText();
  cutOff = { isCutOff: false };
  a = { path: join(folder, "a.json"), shared: text.seenBy({ isCutOff: false }) };
  b = { path: join(folder, "b.json"), shared: text.seenBy(cutOff) };
});
afterEach(() => rmSync(folder, { recursive: true }));

const sync = (file: SharedFile): Promise<void> => syncSharedFile(file, APPROVALS_FORMAT);
const stateOf = async (file: SharedFile): Promise<string> => (await standingOf(file, NEEDED)).state;

/** Asks on one machine, and returns the id of the question. */
async function ask(file: SharedFile): Promise<string> {
  const asked = await standingOf(file, NEEDED);
  if (asked.state !== "pending") throw new Error(asked.state);
  return asked.record.id;
}

describe("approvals of replicas", () => {
  it("are asked on one and answered on another, once, and the first answer counts", async () => {
    const id = await ask(a);
    await sync(b);
    expect(pendingApprovals(b).map((one) => one.id)).toEqual([id]);
    expect((await answerApproval(b, id, "once", "terminal"))?.decision).toBe("once");
    expect((await answerApproval(a, id, "deny", "terminal"))?.decision).toBe("once");
    expect(await Promise.all([stateOf(a), stateOf(b)]).then((states) => states.sort())).toEqual([
      "allowed",
      "pending",
    ]);
  });

  it("apply everywhere if they are for always, until they are withdrawn anywhere", async () => {
    const id = await ask(a);
    await answerApproval(b, id, "always", "terminal");
    expect([await stateOf(a), await stateOf(b), await stateOf(a)]).toEqual(
      Array(3).fill("allowed"),
    );
    await withdrawAlways(b, id);
    // A copy of the earlier state has no effect.
    await sync(a);
    text.stored = undefined;
    await sync(a);
    expect(await stateOf(a)).toBe("pending");
  });

  it("do not let a call pass twice if a replica is cut off", async () => {
    const id = await ask(a);
    await answerApproval(a, id, "once", "terminal");
    await sync(b);
    cutOff.isCutOff = true;
    expect(await stateOf(b)).toBe("pending");
    expect(await stateOf(a)).toBe("allowed");
    cutOff.isCutOff = false;
    expect(await stateOf(b)).toBe("pending");
  });

  it("can be answered and used on a machine that is cut off", async () => {
    await sync(b);
    cutOff.isCutOff = true;
    const id = await ask(b);
    await answerApproval(b, id, "once", "terminal");
    expect(await stateOf(b)).toBe("allowed");
    const second = await ask(b);
    await answerApproval(b, second, "deny", "terminal");
    cutOff.isCutOff = false;
    await sync(b);
    expect(await stateOf(a)).toBe("denied");
  });

  it("are asked again if only one machine has stored them with its own key", async () => {
    await answerApproval(a, await ask(a), "once", "terminal");
    cutOff.isCutOff = true;
    await answerApproval(b, await ask(b), "always", "terminal");
    expect(await stateOf(b)).toBe("allowed");
    cutOff.isCutOff = false;
    await sync(b);
    expect([await stateOf(b), await stateOf(b)]).toEqual(["allowed", "pending"]);
  });

  it("count once if two machines have asked about the same call", async () => {
    await standingOf(a, { ...NEEDED, tool: "other" });
    await sync(b);
    cutOff.isCutOff = true;
    await answerApproval(a, await ask(a), "once", "terminal");
    await answerApproval(b, await ask(b), "deny", "terminal");
    cutOff.isCutOff = false;
    await sync(b);
    expect([await stateOf(a), await stateOf(b)]).toEqual(["denied", "denied"]);
  });

  it("are known to be watched everywhere, as long as they are", async () => {
    await watchApprovals(a, true);
    await sync(b);
    expect(isWatched(b)).toBe(true);
    await watchApprovals(a, false, Date.now() + 1);
    await sync(b);
    await sync(a);
    expect([isWatched(a, Date.now() + 2), isWatched(b, Date.now() + 2)]).toEqual([false, false]);
  });
});

describe("merging two copies of the approvals", () => {
  const NOW = 1_000_000;
  const hashes = { serverHash: "", argumentsHash: "", policy: "", definition: "" };
  const subject = { principal: "p", toolbox: "t", server: "s", tool: "x", ...hashes };
  const id = fc.constantFrom("A", "B", "C");
  const record: fc.Arbitrary<ApprovalRecord> = fc
    .record(
      { id, decision: fc.constantFrom(...DECISIONS), expiresAt: fc.constantFrom(NOW - 1, NOW + 1) },
      { requiredKeys: ["id", "expiresAt"] },
    )
    .map((own) => {
      const tool = own.id === "C" ? "y" : "x";
      return { ...subject, tool, client: "", shown: [], reason: "", createdAt: 1, ...own };
    });
  const approvals: fc.Arbitrary<Approvals> = fc
    .record({
      records: fc.uniqueArray(record, { selector: (one) => one.id }),
      always: fc
        .uniqueArray(id)
        .map((ids) => ids.map((one) => ({ ...subject, id: one, client: "" }))),
      watchers: fc.uniqueArray(
        fc.record({
          host: fc.constantFrom("h", "i"),
          pid: fc.constant(1),
          at: fc.constantFrom(NOW - 2, NOW - 1),
        }),
        { selector: ({ host }) => host },
      ),
      used: fc.uniqueArray(id).map((ids) => ids.map((one) => ({ id: one, until: NOW }))),
      withdrawn: fc.uniqueArray(id),
    })
    .map((own) => ({
      key: "k",
      ...own,
      watchers: own.watchers.map((one) => ({ ...one, until: one.at + 5 })),
    }));
  const merge = (one: Approvals, other: Approvals): Approvals => mergeApprovals(one, other, NOW);

  it("gives the same in any order, and nothing new when it is repeated", () => {
    fc.assert(
      fc.property(approvals, approvals, approvals, (one, other, third) => {
        expect(merge(one, other)).toEqual(merge(other, one));
        expect(merge(merge(one, other), third)).toEqual(merge(one, merge(other, third)));
        const merged = merge(one, other);
        expect(approvalsText(merge(merged, other))).toBe(approvalsText(merged));
      }),
    );
  });

  it("allows nothing that one of them does not allow", () => {
    fc.assert(
      fc.property(approvals, approvals, (one, other) => {
        const merged = merge(one, other);
        const answers = merged.records.map((kept) => kept.id);
        for (const { used = [], withdrawn = [], records } of [one, other]) {
          expect(merged.always.filter((kept) => withdrawn.includes(kept.id))).toEqual([]);
          expect(used.filter((ended) => answers.includes(ended.id))).toEqual([]);
          const denied = records.filter(
            (own) => own.decision === "deny" && own.expiresAt > NOW && answers.includes(own.id),
          );
          for (const { id: own } of denied)
            expect(merged.records.find((kept) => kept.id === own)?.decision).toBe("deny");
        }
      }),
    );
  });
});
