// Builds the package: the library and its types with tsc, the program with esbuild.
//
// The program is CommonJS because Node starts it faster than a module. What is imported with
// `import()` becomes a file of its own in dist/chunks and is read when it is first used; each of
// these files is complete in itself, except that all of them share Zod; so code may occur in several,
// and nothing may rely on `instanceof` or on module state across them.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const chunks = new Map();

// Where the runtime can keep compiled code (Node 22.1 and later), the program is not compiled at
// every start. The code that says so has to be outside of what is kept.
const BIN = `#!/usr/bin/env node
"use strict";
const { HOME, LOCALAPPDATA, XDG_CACHE_HOME } = process.env;
const cache = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && HOME + "/.cache");
if (cache) require("node:module").enableCompileCache?.(cache + "/mcp-workbench/compiled");
require("./program.cjs");
`;

function lazyImports(inChunk) {
  return {
    name: "lazy-imports",
    setup(bundler) {
      // Larger than all the rest of the chunks that need it, which are never loaded at start.
      bundler.onResolve({ filter: /^zod$/ }, ({ kind }) => {
        if (!inChunk || kind === "entry-point") return undefined;
        chunks.set("zod", "zod");
        return { path: "./zod.cjs", external: true };
      });
      bundler.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, (args) => {
        if (args.kind !== "dynamic-import") return undefined;
        const file = resolve(args.resolveDir, args.path);
        const name = `${basename(dirname(file))}-${basename(file, ".ts")}`;
        chunks.set(name, file);
        return { path: `${inChunk ? "." : "./chunks"}/${name}.cjs`, external: true };
      });
    },
  };
}

function bundle(entry, outfile, inChunk) {
  return build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20.19",
    mainFields: ["module", "main"],
    // Half the size is half the time to read it in, and clients wait for that at every start.
    minify: true,
    legalComments: "none",
    // Chunks are CommonJS too, and `require` does not start the module loader.
    supported: { "dynamic-import": false },
    plugins: [lazyImports(inChunk)],
    logLevel: "warning",
  });
}

rmSync(dist, { recursive: true, force: true });
execFileSync(
  process.execPath,
  [join(root, "node_modules/typescript/bin/tsc"), "-p", join(root, "tsconfig.build.json")],
  {
    stdio: "inherit",
  },
);
await bundle(join(root, "src/cli/main.ts"), join(dist, "program.cjs"), false);
writeFileSync(join(dist, "bin.cjs"), BIN);
chmodSync(join(dist, "bin.cjs"), 0o755);
const built = new Set();
for (
  let pending = [...chunks];
  pending.length > 0;
  pending = [...chunks].filter(([name]) => !built.has(name))
)
  for (const [name, entry] of pending) {
    await bundle(entry, join(dist, "chunks", `${name}.cjs`), true);
    built.add(name);
  }
