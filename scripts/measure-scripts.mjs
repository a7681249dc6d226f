// Measures what tasks cost an agent in tokens, call by call and as a script, with servers that are installed
// with the repository. `--write` updates the table in docs/scripts.md.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { register } from "tsx/esm/api";

register();
const { measureScripts, scriptTable, withScriptTable } =
  await import("./tokens/measure-scripts.ts");

const { values } = parseArgs({ options: { write: { type: "boolean", default: false } } });
const costs = await measureScripts();
console.log(scriptTable(costs));

if (values.write) {
  const page = new URL("../docs/scripts.md", import.meta.url);
  writeFileSync(page, withScriptTable(readFileSync(page, "utf8"), costs));
}
