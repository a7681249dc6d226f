// Builds the package: the library and its types with tsc, the program with esbuild. With
// `--if-changed`, only if the sources are not those of the last build.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { BIN } from "./bin.mjs";
import { bundleDashboard, bundleProgram } from "./bundle.mjs";
import { compileProgram } from "./compile-program.mjs";
import { isUnchanged, recordBuild } from "./unchanged.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");

if (process.argv.includes("--if-changed") && isUnchanged(root)) process.exit();
rmSync(dist, { recursive: true, force: true });
execFileSync(
  process.execPath,
  [join(root, "node_modules/typescript/bin/tsc"), "-p", join(root, "tsconfig.build.json")],
  {
    stdio: "inherit",
  },
);
await bundleProgram({ write: true });
await bundleDashboard();
// The engine of scripts is loaded from beside the thread that runs them. Neither it nor what removes
// types from scripts is a dependency: they are in the package, with their licences.
const modules = join(root, "node_modules");
copyFileSync(join(modules, "quickjs-wasi/quickjs.wasm"), join(dist, "chunks/quickjs.wasm"));
const licencesOf = (names) =>
  names
    .map((name) => `${name}\n\n${readFileSync(join(modules, name, "LICENSE"), "utf8")}`)
    .join("\n\n");
writeFileSync(
  join(dist, "chunks/script-worker.licences.txt"),
  licencesOf(["quickjs-wasi", "sucrase", "lines-and-columns", "ts-interface-checker"]),
);
writeFileSync(join(dist, "ui/app.licences.txt"), licencesOf(["preact"]));
writeFileSync(join(dist, "bin.cjs"), BIN);
chmodSync(join(dist, "bin.cjs"), 0o755);
compileProgram(dist);
recordBuild(root);
