import { beforeAll, describe, expect, it } from "vitest";
import { LEGS, type LegResult, runLegs } from "../conformance/proof.ts";

describe("the official conformance suite", () => {
  let results: LegResult[] = [];

  beforeAll(async () => {
    results = await runLegs();
  }, 300_000);

  it.each(LEGS.map(({ revision, name }, index) => ({ revision, name, index })))(
    "$revision: $name",
    ({ index, ...leg }) => {
      expect(results[index]).toMatchObject({ ...leg, problems: [] });
    },
  );
});
