/**
 * The token costs in docs/scripts.md. It does every task twice with published servers, which takes longer than
 * `npm test` may; readme/scripts-page.full.test.ts runs the other examples of the page.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

import { measureScripts, withScriptTable } from "../scripts/tokens/measure-scripts.ts";

it("the costs in docs/scripts.md are up to date, and scripts cost less where data stays inside", async () => {
  const page = readFileSync(new URL("../docs/scripts.md", import.meta.url), "utf8");
  const costs = await measureScripts();
  expect(withScriptTable(page, costs)).toBe(page);
  for (const { task, calls, direct, script } of costs)
    expect(script * (calls > 10 ? 50 : 1), task.title).toBeLessThan(direct);
});
