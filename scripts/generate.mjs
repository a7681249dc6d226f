// Writes every file that is derived from the sources. Tests fail when one of them is out of date.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { register } from "tsx/esm/api";

register();
const { CONFIG_ARTIFACTS } = await import("./config-artifacts.ts");
const { INPUT_ARTIFACTS } = await import("./input-artifacts.ts");
const { CLI_ARTIFACTS } = await import("./cli-artifacts.ts");

for (const { path, render } of [...CONFIG_ARTIFACTS, ...INPUT_ARTIFACTS, ...CLI_ARTIFACTS]) {
  const file = new URL(`../${path}`, import.meta.url);
  const current = existsSync(file) ? readFileSync(file, "utf8") : "";
  const next = render(current);
  if (next === current) continue;
  writeFileSync(file, next);
  console.log(`generated ${path}`);
}
