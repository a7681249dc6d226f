import { build } from "esbuild";
import { describe, expect, it } from "vitest";

/** Packages that are loaded only to explain what is wrong. */
const SLOW_PACKAGES = ["zod", "jsonc-parser"];

/** The files that a module imports statically, as a bundler sees them; `entry` is a file name. */
async function loadedAtOnce(entry: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: ["src/config/load.ts"],
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
  visit(Object.keys(metafile.inputs).find((file) => file.endsWith(`/${entry}`)) ?? "not found");
  return [...seen];
}

const packagesIn = (files: readonly string[]): string[] =>
  SLOW_PACKAGES.filter((name) => files.some((file) => file.includes(`node_modules/${name}/`)));

describe("loading the configuration", () => {
  it("does not load packages that only explanations need", async () => {
    const files = await loadedAtOnce("load.ts");
    expect(files.length).toBeGreaterThan(10);
    expect(packagesIn(files)).toEqual([]);
  });

  it.each([
    ["explain.ts", ["zod"]],
    ["syntax.ts", ["jsonc-parser"]],
  ])("loads, for %s, only the slow packages %j", async (entry, packages) => {
    expect(packagesIn(await loadedAtOnce(entry))).toEqual(packages);
  });
});
