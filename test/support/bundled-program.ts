/**
 * Programs that tests start many times, each in one file that is compiled once: most of the processor time of a start
 * is loading the hundreds of modules of an SDK and compiling them. The files are kept for later runs.
 */
import { spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { GENEROUS_MS, LEGACY } from "./clients/json-rpc.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FOLDER = join(ROOT, "node_modules/.cache/mcp-workbench/programs");
const LAUNCHER = fileURLToPath(new URL("cached-program.cjs", import.meta.url));
/** What the files are made with. */
const MAKERS = [LAUNCHER, fileURLToPath(import.meta.url)].map((file) => relative(ROOT, file));
/** What Node.js puts around a module. */
const WRAPPER = [
  '(function (exports, require, module, __filename, __dirname) { const ownUrl = require("node:url").pathToFileURL(__filename).href; ',
  "\n})",
] as const;
const FIRST_REQUESTS = [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: LEGACY,
      capabilities: {},
      clientInfo: { name: "bundled-program", version: "1.0.0" },
    },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: 2, method: "tools/list" },
];

const paths = new Map<string, string>();

/** The program of an installed package, with the files beside it that it reads. */
export function bundledPackage(name: string, beside: readonly string[] = []): string {
  const source = join(ROOT, "node_modules", name);
  const target = join(FOLDER, basename(name));
  return bundled(join(source, "dist/index.js"), join(target, "dist/index.cjs"), () => {
    for (const folder of beside)
      cpSync(join(source, "dist", folder), join(target, folder), { recursive: true });
  });
}

/** A program of the tests. It cannot find files by its own place. */
export function bundledFixture(url: URL): string {
  const source = fileURLToPath(url);
  return bundled(source, join(FOLDER, `${basename(source).replace(/\.\w+$/, "")}.cjs`));
}

function bundled(source: string, target: string, prepare: () => void = () => {}): string {
  const known = paths.get(target);
  if (known !== undefined) return known;
  paths.set(target, target);
  if (isCurrent(target)) return target;
  mkdirSync(dirname(target), { recursive: true });
  prepare();
  const { metafile, outputFiles } = buildSync({
    stdin: {
      contents: inFunction(source),
      sourcefile: basename(source),
      resolveDir: dirname(source),
    },
    absWorkingDir: ROOT,
    bundle: true,
    platform: "node",
    format: "cjs",
    minifyWhitespace: true,
    legalComments: "none",
    define: { "import.meta.url": "ownUrl" },
    metafile: true,
    write: false,
    logLevel: "error",
  });
  writeProgram(target, `${WRAPPER[0]}${outputFiles[0]?.text ?? ""}${WRAPPER[1]}`);
  const found = Object.keys(metafile.inputs).filter((file) => !file.startsWith("node_modules/"));
  const own = [...found, ...MAKERS];
  replace(`${target}.json`, JSON.stringify({ own, hash: hashOf(own) }));
  return target;
}

/** A program that awaits at its top level, which only a module in another format may, does so in a function. */
function inFunction(source: string): string {
  const imports: string[] = [];
  const rest = readFileSync(source, "utf8")
    .replace(/^#!.*/, "")
    .replace(/^import [^;]*;$/gm, (statement) => (imports.push(statement), ""))
    .replace(/^export (?:\{\};$|(?=\w))/gm, "");
  return `${imports.join("\n")}\n(async () => {${rest}\n})();`;
}

/** Writes the program, and what V8 compiles of it until it has answered its first requests. */
function writeProgram(target: string, code: string): void {
  // Data that fits the length of another code would be accepted, so both have names of their own.
  const name = `${basename(target)}-${createHash("sha256").update(code).digest("hex").slice(0, 16)}`;
  const launcher = readFileSync(LAUNCHER, "utf8")
    .replace("code file", `${name}.code`)
    .replace("data file", `${name}.data`);
  const data = join(dirname(target), `${name}.data`);
  const made = `${data}.${randomUUID()}`;
  replace(join(dirname(target), `${name}.code`), code);
  replace(target, launcher);
  spawnSync(process.execPath, [target], {
    input: FIRST_REQUESTS.map((message) => `${JSON.stringify(message)}\n`).join(""),
    env: { PATH: process.env["PATH"] ?? "", MAKE_CODE_CACHE: made },
    timeout: GENEROUS_MS,
  });
  renameSync(made, data);
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
  const hash = createHash("sha256").update(process.version);
  for (const file of ["package-lock.json", ...own]) hash.update(readFileSync(join(ROOT, file)));
  return hash.digest("hex");
}

/** Other test files may be about to start it. */
function replace(file: string, content: string | Uint8Array): void {
  const temporary = `${file}.${randomUUID()}`;
  writeFileSync(temporary, content);
  renameSync(temporary, file);
}
