import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import type { Results } from "../harness/measure.ts";
import { GROWTHS, growthPlot, plotFile } from "./growth-plots.ts";
import { performancePage, performancePlot } from "./page.ts";

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const results = JSON.parse(read("bench/results.json")) as Results;

describe("docs/performance.md", () => {
  it("is up to date with the results of the last full run (otherwise run npm run bench:page)", () => {
    expect(read("docs/performance.md")).toBe(performancePage(results));
  });

  it("has an up-to-date plot of the results", () => {
    expect(read("docs/performance.svg")).toBe(performancePlot(results));
  });

  it.each(GROWTHS)("has an up-to-date plot of the cost by number of $id", (growth) => {
    expect(read(`docs/${plotFile(growth.id)}`)).toBe(growthPlot(results, growth));
  });

  it("shows what was measured, and marks a goal that was missed", () => {
    const rows = { relay: [100, 100], proxy: [200, 220] };
    const page = performancePage({ ...results, measures: [{ id: "echo/p50", unit: "us", rows }] });
    expect(page).toContain("| echo, vs. the JSON relay | at most 1.10x | 2.10x | **no** |");
    expect(page).toContain("| 1 MB, vs. the JSON relay | at most 0.60x | – | – |");
  });
});
