// Whether the package was already built from the present sources, so that `npm test` after
// `npm ci` does not build it a second time.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const INPUTS = ["src", "data", "scripts", "package-lock.json", "package.json"];

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function inputsOf(root) {
  const settings = readdirSync(root).filter((name) => /^tsconfig.*\.json$/.test(name));
  const paths = [...INPUTS, ...settings].map((name) => join(root, name));
  const files = paths.flatMap((path) => (statSync(path).isFile() ? [path] : filesIn(path)));
  const hash = createHash("sha256");
  for (const file of files) {
    const content = readFileSync(file);
    hash.update(`${file}\n${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

/** What was built, as names and sizes: a missing or half-written file is noticed. */
const outputsOf = (root) =>
  filesIn(join(root, "dist")).map((file) => `${file} ${statSync(file).size}`);

const stateOf = (root) => JSON.stringify([inputsOf(root), outputsOf(root)]);

// Not in `dist`, because all of that is in the package.
const recordIn = (root) => join(root, "node_modules/.cache/mcp-workbench/built.json");

export function isUnchanged(root) {
  try {
    return readFileSync(recordIn(root), "utf8") === stateOf(root);
  } catch {
    return false;
  }
}

export function recordBuild(root) {
  const record = recordIn(root);
  mkdirSync(dirname(record), { recursive: true });
  rmSync(record, { force: true });
  writeFileSync(record, stateOf(root));
}
