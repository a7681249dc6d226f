import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/new-folder.ts";
import { approvalsText } from "./approval-record.ts";
import { readApprovals } from "./approvals-file.ts";
import {
  type NeededApproval,
  alwaysAllowed,
  answerApproval,
  standingOf,
  withdrawAlways,
} from "./manage-approvals.ts";

const GENERAL: NeededApproval = {
  principal: "stdio",
  client: "stdio",
  toolbox: "dev",
  server: "git",
  tool: "push",
  identity: "node git.js",
  arguments: '{"branch":"feature"}',
  shown: [],
  reason: "",
  isAboutArguments: false,
  policy: "p",
  definition: "d",
};

let folder: string;
let file: string;
beforeEach(() => {
  folder = newFolder("approvals");
  file = join(folder, "approvals.json");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Asks about a call, and answers the question. */
async function allowAlways(needed: NeededApproval): Promise<void> {
  const asked = await standingOf(file, needed);
  if (asked.state !== "pending") throw new Error("nothing is asked");
  await answerApproval(file, asked.record.id, "always", "terminal");
  expect((await standingOf(file, needed)).state).toBe("allowed");
}

describe("a tool that is always allowed", () => {
  it("may be called with all arguments, except those that a rule asks about", async () => {
    await allowAlways(GENERAL);
    const other = { ...GENERAL, arguments: '{"branch":"main"}' };
    expect((await standingOf(file, other)).state).toBe("allowed");
    const asked = { ...other, isAboutArguments: true };
    expect((await standingOf(file, asked)).state).toBe("pending");
    await allowAlways(asked);
    expect((await standingOf(file, { ...asked, arguments: "{}" })).state).toBe("pending");
  });

  it.each([
    ["principal", "token:1"],
    ["identity", "node other.js"],
    ["policy", "q"],
    ["definition", "e"],
    ["toolbox", "ops"],
  ])("is asked about again with another %s", async (key, value) => {
    await allowAlways(GENERAL);
    expect((await standingOf(file, { ...GENERAL, [key]: value })).state).toBe("pending");
  });

  it("is asked about again when that is withdrawn", async () => {
    await allowAlways(GENERAL);
    const [allowed] = alwaysAllowed(file);
    expect(allowed).toMatchObject({ client: "stdio", tool: "push" });
    expect(await withdrawAlways(file, "ZZZZZZ")).toBeUndefined();
    expect(await withdrawAlways(file, allowed?.id ?? "")).toEqual(allowed);
    expect((await standingOf(file, GENERAL)).state).toBe("pending");
    expect(alwaysAllowed(file)).toEqual([]);
  });
});

describe("the answers to many calls of one client", () => {
  it("leave room for the questions of others: the oldest are forgotten", async () => {
    const asked = await standingOf(file, { ...GENERAL, principal: "flood" });
    if (asked.state !== "pending") throw new Error("nothing is asked");
    const stored = readApprovals(file);
    const denied = Array.from({ length: 2000 }, (_, i) => ({
      ...asked.record,
      id: `D${i}`,
      argumentsHash: `hash ${i}`,
      decision: "deny" as const,
    }));
    writeFileSync(file, approvalsText({ ...stored, records: denied }), { mode: 0o600 });
    expect((await standingOf(file, GENERAL)).state).toBe("pending");
    const { records } = readApprovals(file);
    expect([records.length, records[0]?.id, records.at(-1)?.principal]).toEqual([
      2000,
      "D1",
      "stdio",
    ]);
  });
});
