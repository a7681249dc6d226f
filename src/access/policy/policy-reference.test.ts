import { describe, expect, it } from "vitest";
import { comparePolicies } from "../../../test/support/policy/compare.ts";

describe("a policy", () => {
  it("decides like the reference evaluator", async () => {
    const tally = await comparePolicies(3000);
    // Otherwise the comparison would have been about nothing. The rarest answer is `ask`: with 20 seeds, 140 on
    // average, with a standard deviation of 10.
    for (const count of Object.values(tally)) expect(count).toBeGreaterThan(50);
  });
});
