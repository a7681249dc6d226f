// Prints the source files that one warm `use_tool` call over stdio executes, in order, with their
// functions. `--write` updates the list in ARCHITECTURE.md; a test fails when it is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { register } from "tsx/esm/api";

register();
const { measureWalk } = await import("./walk/measure-walk.ts");
const { withWalk } = await import("./walk/architecture-page.ts");

const files = await measureWalk();
for (const [i, { path, functions }] of files.entries())
  console.log(`${String(i + 1).padStart(2)}. ${path}: ${functions.join(", ")}`);

if (process.argv.includes("--write")) {
  const page = new URL("../ARCHITECTURE.md", import.meta.url);
  writeFileSync(page, withWalk(readFileSync(page, "utf8"), files));
}
