/** Calls that wait for the user. What users answer end to end is in test/access/approvals.test.ts. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/new-folder.ts";
import type { ClientCall } from "../../calls/call.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import { ApprovalWaits } from "./approval-waits.ts";
import {
  type NeededApproval,
  type Standing,
  standingOf,
  watchApprovals,
} from "./manage-approvals.ts";

const NEEDED: NeededApproval = {
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
  return { signal: new AbortController().signal, caller } as unknown as ClientCall;
}

describe("a call that waits for the user", () => {
  let dir: string;
  let file: string;
  beforeEach(() => {
    dir = newFolder("approval-waits");
    file = join(dir, "approvals.json");
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  async function waitMs(ms: number, call: ClientCall): Promise<Standing["state"]> {
    await watchApprovals(file, true);
    const first = await standingOf(file, NEEDED);
    if (first.state !== "pending") throw new Error(`it is ${first.state}`);
    return (await new ApprovalWaits(file, () => ms).wait(call, NEEDED, first)).state;
  }

  it("ends when its time is over, also after garbage was collected", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const timer = setInterval(collect, 20);
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
});
