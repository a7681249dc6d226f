/** The list of files in ARCHITECTURE.md is the one that a call executes. In the full suite because it records the coverage of every file. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { withWalk } from "../scripts/walk/architecture-page.ts";
import { measureWalk } from "../scripts/walk/measure-walk.ts";

it("ARCHITECTURE.md lists the files of a warm call (otherwise run `npm run walk -- --write`)", async () => {
  const page = readFileSync(new URL("../ARCHITECTURE.md", import.meta.url), "utf8");
  const files = await measureWalk();
  expect(files.map(({ path }) => path)).toContain("calls/dispatch.ts");
  expect(page).toBe(withWalk(page, files));
});
