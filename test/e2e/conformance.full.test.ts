/** In the full suite because its hundreds of scenarios take most of a minute of processor time. */
import { beforeAll, describe, expect, it } from "vitest";
import { LEGS, type LegResult, runLegs } from "../conformance/proof.ts";

describe("the official conformance suite", () => {
  let results: LegResult[] = [];

  beforeAll(async () => {
    results = await runLegs();
  }, 600_000);

  it.each(LEGS.map(({ revision, name }, index) => ({ revision, name, index })))(
    "passes with the workbench for $revision: $name",
    ({ index, ...leg }) => {
      expect(results[index]).toMatchObject({ ...leg, problems: [] });
    },
  );
});
