// Measures what real servers cost an agent in tokens, directly and through the workbench. It installs the
// servers of tokens/real-servers.ts from the package registry into a temporary folder, or uses those in
// `--packages FOLDER`. `--write` updates the tables in docs/discovery.md.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { register } from "tsx/esm/api";

register();
const { measureTokens } = await import("./tokens/measure-tokens.ts");
const { tokenTables, withTokenTables } = await import("./tokens/token-tables.ts");

const { values } = parseArgs({
  options: { packages: { type: "string" }, write: { type: "boolean", default: false } },
});
const costs = await measureTokens(values.packages);
console.log(tokenTables(costs));

if (values.write) {
  const page = new URL("../docs/discovery.md", import.meta.url);
  writeFileSync(page, withTokenTables(readFileSync(page, "utf8"), costs));
}
