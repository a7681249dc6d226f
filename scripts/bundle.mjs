// Bundles the program with esbuild: dist/program.cjs, and a file in dist/chunks for each `import()`.
//
// The program is CommonJS because Node starts it faster than a module. What is imported with
// `import()` is read when it is first used. Each of these files is complete in itself, except that
// all of them share Zod; so code may be in several, and nothing may rely on `instanceof` or on
// module state across them (test/architecture.test.ts checks the state).
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");

function lazyImports(chunks, inChunk) {
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

/** Bundles one file and returns the source files whose code is in it, relative to `src`. */
export async function bundle(entry, outfile, { chunks, inChunk, write }) {
  const { metafile } = await build({
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
    // `createRequire` takes a path, too; it finds optional packages, which are never bundled.
    define: { "import.meta.url": "__filename" },
    plugins: [lazyImports(chunks, inChunk)],
    logLevel: "warning",
    absWorkingDir: root,
    metafile: true,
    write,
  });
  const [output] = Object.values(metafile.outputs);
  return Object.entries(output.inputs)
    .filter(([path, { bytesInOutput }]) => path.startsWith("src/") && bytesInOutput > 0)
    .map(([path]) => path.slice("src/".length));
}

/** Bundles the dashboard: one script and one style sheet, which browsers load from the workbench. */
export async function bundleDashboard() {
  await build({
    entryPoints: [
      { in: join(root, "src/dashboard/browser/main.tsx"), out: "app" },
      { in: join(root, "src/dashboard/browser/style/style.css"), out: "style" },
    ],
    outdir: join(dist, "ui"),
    bundle: true,
    platform: "browser",
    format: "esm",
    target: ["chrome120", "firefox120", "safari17"],
    minify: true,
    legalComments: "none",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "warning",
    absWorkingDir: root,
  });
}

/** Bundles the program; returns the source files in each output, by its path in `dist`. */
export async function bundleProgram({ write }) {
  const chunks = new Map();
  const sources = new Map();
  const add = async (entry, outfile, inChunk) =>
    sources.set(
      relative(dist, outfile).replaceAll("\\", "/"),
      await bundle(entry, outfile, { chunks, inChunk, write }),
    );
  await add(join(root, "src/cli/main.ts"), join(dist, "program.cjs"), false);
  // The thread that runs scripts is started by the path of its file.
  chunks.set("script-worker", join(root, "src/scripts/worker/script-worker.ts"));
  const built = new Set();
  for (
    let pending = [...chunks];
    pending.length > 0;
    pending = [...chunks].filter(([name]) => !built.has(name))
  )
    for (const [name, entry] of pending) {
      await add(entry, join(dist, "chunks", `${name}.cjs`), true);
      built.add(name);
    }
  return sources;
}
