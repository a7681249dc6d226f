/** Compares the time of a start with the committed baseline. */
import { expect, it } from "vitest";

import { NODE_VERSION, lastingRegressions, readBaseline } from "./judge.ts";
import { timedStart } from "./short-form.ts";

const { node, ratios } = readBaseline();

// Another version of Node starts the same program differently.
it.skipIf(node !== NODE_VERSION)(
  "speed guard: the start takes no longer, relative to Node alone, than the committed baseline",
  async () => {
    expect(await lastingRegressions(ratios, [timedStart])).toEqual([]);
  },
);
