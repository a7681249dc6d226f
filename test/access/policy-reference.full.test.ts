import { describe, expect, it } from "vitest";
import { comparePolicies } from "../support/policy/compare.ts";

// In the full suite because of its length; `npm test` compares a few thousand cases.
describe("a policy", () => {
  it(
    "decides like the reference evaluator in 60,000 random cases",
    { timeout: 900_000 },
    async () => {
      const tally = await comparePolicies(60_000);
      for (const count of Object.values(tally)) expect(count).toBeGreaterThan(1000);
    },
  );
});
