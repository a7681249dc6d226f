/**
 * What is published: the right version, the right files, and nothing that runs at installation. In the
 * full suite because it packs and unpacks the package with npm.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { NAME, VERSION } from "../src/version.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(join(ROOT, file), "utf8")) as T;
}

const manifest = readJson<Manifest>("package.json");
const { packages } = readJson<{ packages: Record<string, LockedPackage> }>("package-lock.json");

/** The paths in the package, as npm would publish it. */
function packedFiles(): string[] {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const printed = execFileSync("npm", args, { cwd: ROOT, stdio: ["ignore", "pipe", "ignore"] });
  const [packed] = JSON.parse(printed.toString()) as [{ files: { path: string }[] }];
  return packed.files.map(({ path }) => path);
}

/** All files below a folder of the repository. */
function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length));
}

describe("the published package", () => {
  it("has the name and version that the program prints", () => {
    expect([NAME, VERSION]).toEqual([manifest.name, manifest.version]);
  });

  const packed = packedFiles();

  it("contains the program, the library with its types, the schema and the examples, and nothing else", () => {
    const intended =
      /^(?:dist\/(?:bin|program|chunks\/[\w-]+)\.cjs|dist\/program\.compiled|dist\/chunks\/(?:quickjs\.wasm|script-worker\.licences\.txt)|dist\/ui\/(?:app\.js|style\.css|app\.licences\.txt)|dist\/lib\/[\w./-]+\.(?:js|d\.ts)|data\/(?:word-vectors\.bin|NOTICE\.txt)|schema\/config\.schema\.json|examples\/.+|(?:README|CHANGELOG|SECURITY)\.md|LICENSE|package\.json)$/;
    expect(packed.filter((path) => !intended.test(path))).toEqual([]);
    expect(packed.filter((path) => /\.test(?:-d)?\./.test(path))).toEqual([]);
  });

  it("contains every built file, the schema and the examples", () => {
    const needed = ["dist", "data", "schema", "examples"].flatMap(filesIn);
    expect(needed.filter((path) => !packed.includes(path))).toEqual([]);
    expect(packed).toEqual(
      expect.arrayContaining(["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"]),
    );
  });

  it("contains every file that its manifest names", () => {
    const named = [
      ...Object.values(manifest.bin),
      ...Object.values(manifest.exports).flatMap((entry) =>
        typeof entry === "string" ? [entry] : Object.values(entry),
      ),
    ].map((path) => path.replace(/^\.\//, ""));
    expect(named.filter((path) => !packed.includes(path))).toEqual([]);
  });

  it("contains Zod once", () => {
    const withZod = filesIn("dist/chunks").filter((path) =>
      readFileSync(join(ROOT, path), "utf8").includes('"ZodError"'),
    );
    expect(withZod).toEqual(["dist/chunks/zod.cjs"]);
  });

  it("contains a library without the commands and the transports of the program", () => {
    // All that the library knows of clients: the size of the results that they take, and hints for them.
    const parts = packed.filter((path) =>
      /^dist\/lib\/(?:cli\/|clients\/(?!(?:result-limits|tool-hints)\.)|serve\/(?:http|modern|stdio))/.test(
        path,
      ),
    );
    expect(parts).toEqual([]);
  });
});

describe("the dependencies of the package", () => {
  it("run nothing at installation", () => {
    const scripts = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(scripts.filter(([path, { dev }]) => path !== "" && dev !== true)).toEqual([]);
  });

  it("are locked with their checksums, and without the address of a registry", () => {
    const locked = Object.entries(packages).filter(([path]) => path !== "");
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"))).toEqual([]);
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it("are pinned to exact versions", () => {
    const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
  });
});
