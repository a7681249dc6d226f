/** In the full suite because its hundreds of scenarios take minutes of processor time. */
import { beforeAll, describe, expect, it } from "vitest";
import { type LegResult, runLegs, TESTED_GROUPS, TESTED_LEGS } from "../conformance/proof.ts";

describe("the official conformance suite", () => {
  let results: LegResult[] = [];

  beforeAll(async () => {
    results = await runLegs(TESTED_GROUPS);
  }, 600_000);

  it.each(TESTED_LEGS.map(({ revision, name }, index) => ({ revision, name, index })))(
    "passes with the workbench for $revision: $name",
    ({ index, ...leg }) => {
      expect(results[index]).toMatchObject({ ...leg, problems: [] });
    },
  );
});
