/** Calls that wait for the user. What users answer end to end is in test/access/approvals.test.ts. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newFolder } from "../../../test/support/new-folder.ts";
import type { ClientCall } from "../../calls/call.ts";
import { STDIO_PRINCIPAL } from "../../calls/principal.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import type { Approvals } from "./approval-record.ts";
import { ApprovalWaits } from "./approval-waits.ts";
import {
  type NeededApproval,
  type Standing,
  standingOf,
  watchApprovals,
} from "./manage-approvals.ts";

const NEEDED: NeededApproval = {
  identity: "i",
  principal: "stdio",
  client: "stdio",
  toolbox: "dev",
  server: "github",
  tool: "delete",
  arguments: "{}",
  shown: [],
  reason: "careful",
  isAboutArguments: false,
  policy: "p",
  definition: "d",
};

/** A call of a client that gives every form this answer, or cannot show any. */
function callOf(answer?: (asked: ServerRequest) => void): ClientCall {
  const capabilities = answer === undefined ? {} : { elicitation: {} };
  const caller = { profile: { client: { capabilities } }, onServerRequest: answer };
  const principal = STDIO_PRINCIPAL;
  return { signal: new AbortController().signal, principal, caller } as unknown as ClientCall;
}

describe("a call that waits for the user", () => {
  let dir: string;
  let file: string;
  beforeEach(() => {
    dir = newFolder("approval-waits");
    file = join(dir, "approvals.json");
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  async function pending(): Promise<Extract<Standing, { state: "pending" }>> {
    const standing = await standingOf(file, NEEDED);
    if (standing.state !== "pending") throw new Error(`it is ${standing.state}`);
    return standing;
  }

  async function begin(waits: ApprovalWaits, call: ClientCall): Promise<Standing> {
    return waits.wait(call, NEEDED, await pending());
  }

  async function waitMs(ms: number, call: ClientCall): Promise<Standing["state"]> {
    await watchApprovals(file, true);
    return (await begin(new ApprovalWaits(file, () => ms), call)).state;
  }

  it("ends when its time is over, also after garbage was collected", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    // Often enough to be in time, and not more: each of them takes long in a process with many files.
    const timer = setInterval(collect, 70);
    try {
      expect(await waitMs(150, callOf())).toBe("pending");
    } finally {
      clearInterval(timer);
    }
  });

  it.each([
    '{"action":"decline","action":"accept","content":{"decision":"once"}}',
    '{"action":"accept","content":{"decision":"deny","decision":"once"}}',
    '{"action":"accept","content":{"Decision":"deny","decision":"once"}}',
  ])("is not approved by an answer with two meanings: %s", async (result) => {
    expect(
      await waitMs(
        100,
        callOf((request) => request.answer(result)),
      ),
    ).toBe("pending");
  });

  it("asks its client once, also if someone else could answer after an empty form", async () => {
    let asked = 0;
    const answer = (request: ServerRequest): void => {
      asked++;
      request.answer('{"action":"accept","content":{}}');
    };
    expect(await waitMs(300, callOf(answer))).toBe("pending");
    expect(asked).toBe(1);
  });

  const decide = (decision: string): string =>
    JSON.stringify({ action: "accept", content: { decision } });

  it.each(["once", "session"])(
    "uses the decision '%s' in its form; no other call sees that it was given",
    async (decision) => {
      // What is stored goes through here; in between, any process may read it.
      const stringify = vi.spyOn(JSON, "stringify");
      const waits = new ApprovalWaits(file, () => 60_000);
      const answer = decide(decision);
      const call = callOf((request) => request.answer(answer));
      try {
        expect(await begin(waits, call)).toMatchObject({ state: "allowed", record: { decision } });
        const stored = stringify.mock.calls
          .map(([value]) => value as Partial<Approvals>)
          .filter(({ records }) => records !== undefined);
        expect(stored.map(({ records }) => records?.map((one) => one.decision))).toEqual([
          [undefined],
          [],
        ]);
      } finally {
        stringify.mockRestore();
      }
    },
  );

  it("is asked in its own session if the same call in another one got no decision", async () => {
    const waits = new ApprovalWaits(file, () => 60_000);
    const asked: string[] = [];
    let closeForm = (): void => {};
    const one = callOf((request) => {
      asked.push("one");
      closeForm = () => request.answer('{"action":"cancel"}');
    });
    const two = callOf((request) => {
      asked.push("two");
      request.answer(decide("once"));
    });
    const first = begin(waits, one);
    await vi.waitFor(() => expect(asked).toEqual(["one"]), 60_000);
    const second = waits.wait(two, NEEDED, await pending());
    closeForm();
    expect((await second).state).toBe("allowed");
    expect(asked).toEqual(["one", "two"]);
    // It gave no decision, and only a person who watches could have answered it.
    expect((await first).state).toBe("pending");
  });
});
