/**
 * S-21 with 300 clients; `npm test` has it with fewer (test/torture). They are all in this one process, which has to send each request within
 * the ten seconds that the workbench waits for the head of a request: it needs an idle machine.
 */
import { describe, it } from "vitest";
import { perTest } from "../support/disposables.ts";
import { checkManyClients } from "../support/many-clients.ts";

const cleanup = perTest();

describe("S-21: 300 clients with 20 calls each and equal request ids", () => {
  // oxlint-disable-next-line vitest/expect-expect -- it is in what is called
  it.each(["legacy", "modern"])("get each answer at the right %s client", async (era) => {
    await checkManyClients(cleanup, 300, era);
  });
});
