/** S-21: many clients at once, all counting their requests alike. */
import { describe, it } from "vitest";
import { perTest } from "../support/disposables.ts";
import { checkManyClients } from "../support/many-clients.ts";

const cleanup = perTest();

describe("S-21: 40 clients with 20 calls each and equal request ids", () => {
  // oxlint-disable-next-line vitest/expect-expect -- it is in what is called
  it.each(["legacy", "modern"])("get each answer at the right %s client", async (era) => {
    await checkManyClients(cleanup, 40, era);
  });
});
