/** Writes `docs/performance.md` and its plots from the results of the last full run. */
import { readFileSync, writeFileSync } from "node:fs";

import type { Results } from "./harness/measure.ts";
import { GROWTHS, growthPlot, plotFile } from "./report/growth-plots.ts";
import { performancePage, performancePlot } from "./report/page.ts";

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);
const results = JSON.parse(readFileSync(at("bench/results.json"), "utf8")) as Results;
writeFileSync(at("docs/performance.md"), performancePage(results));
writeFileSync(at("docs/performance.svg"), performancePlot(results));
for (const growth of GROWTHS)
  writeFileSync(at(`docs/${plotFile(growth.id)}`), growthPlot(results, growth));
