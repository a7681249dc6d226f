import { build } from "esbuild";
import { describe, expect, it } from "vitest";

/** Packages that may be loaded only when something has to be explained. */
const SLOW_PACKAGES = ["zod", "jsonc-parser"];

/** The files that loading a module loads at once, as a bundler sees them. */
async function loadedAtOnce(entry: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
  });
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { path, kind } of metafile.inputs[file]?.imports ?? []) {
      if (kind !== "dynamic-import") visit(path);
    }
  };
  visit(entry);
  return [...seen];
}

const packagesIn = (files: readonly string[]): string[] =>
  SLOW_PACKAGES.filter((name) => files.some((file) => file.includes(`node_modules/${name}/`)));

describe("loading the configuration", () => {
  it("does not load packages that only explanations need", async () => {
    const files = await loadedAtOnce("src/config/load.ts");
    expect(files).toContain("src/config/accept.ts");
    expect(packagesIn(files)).toEqual([]);
  });

  it.each([
    ["src/config/explain.ts", ["zod"]],
    ["src/config/syntax.ts", ["jsonc-parser"]],
  ])("loads, for %s, only the slow packages %j", async (entry, packages) => {
    expect(packagesIn(await loadedAtOnce(entry))).toEqual(packages);
  });
});
