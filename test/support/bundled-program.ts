/**
 * Programs that tests start many times, each in one file: most of the processor time of a start is loading the
 * hundreds of modules of an SDK. The files are kept for later runs.
 */
import { createHash, randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FOLDER = join(ROOT, "node_modules/.cache/mcp-workbench/programs");
/** What modules in CommonJS expect to have. */
const REQUIRE =
  'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);';

const paths = new Map<string, string>();

/** The program of an installed package, with the files beside it that it reads. */
export function bundledPackage(name: string, beside: readonly string[] = []): string {
  const source = join(ROOT, "node_modules", name);
  const target = join(FOLDER, basename(name));
  return bundled(join(source, "dist/index.js"), join(target, "dist/index.mjs"), () => {
    for (const folder of beside)
      cpSync(join(source, "dist", folder), join(target, folder), { recursive: true });
  });
}

/** A program of the tests. It cannot find files by its own place. */
export function bundledFixture(url: URL): string {
  const source = fileURLToPath(url);
  return bundled(source, join(FOLDER, `${basename(source).replace(/\.\w+$/, "")}.mjs`));
}

function bundled(source: string, target: string, prepare: () => void = () => {}): string {
  const known = paths.get(target);
  if (known !== undefined) return known;
  paths.set(target, target);
  if (isCurrent(target)) return target;
  mkdirSync(dirname(target), { recursive: true });
  prepare();
  const { metafile, outputFiles } = buildSync({
    entryPoints: [source],
    absWorkingDir: ROOT,
    bundle: true,
    platform: "node",
    format: "esm",
    banner: { js: REQUIRE },
    metafile: true,
    write: false,
    logLevel: "error",
  });
  const own = Object.keys(metafile.inputs).filter((file) => !file.startsWith("node_modules/"));
  replace(target, outputFiles[0]?.contents ?? "");
  replace(`${target}.json`, JSON.stringify({ own, hash: hashOf(own) }));
  return target;
}

/** Whether the file was made of what is installed and written now. */
function isCurrent(target: string): boolean {
  if (!existsSync(`${target}.json`)) return false;
  const made = JSON.parse(readFileSync(`${target}.json`, "utf8")) as Made;
  return made.own.every((file) => existsSync(join(ROOT, file))) && made.hash === hashOf(made.own);
}

interface Made {
  /** Files of this repository. */
  readonly own: readonly string[];
  readonly hash: string;
}

function hashOf(own: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of ["package-lock.json", ...own]) hash.update(readFileSync(join(ROOT, file)));
  return hash.digest("hex");
}

/** Other test files may be about to start it. */
function replace(file: string, content: string | Uint8Array): void {
  const temporary = `${file}.${randomUUID()}`;
  writeFileSync(temporary, content);
  renameSync(temporary, file);
}
