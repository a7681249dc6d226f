/**
 * Installs published packages with the npm client of this machine, as it is configured here, into a cache
 * folder outside the repository. What is there is used again, so only the first run needs the registry.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestContext } from "vitest";

export interface PublishedPackage {
  readonly package: string;
  /** Exact: another version may have other tools, or another command line. */
  readonly version: string;
  readonly bin: string;
  /** True runs the package's install scripts, for packages that do not work without them. */
  readonly scripts?: true;
}

/** The first run has to download everything. */
export const INSTALL_ALL_MS = 600_000;

/** Installs what is missing. Call it before the first test; `programOf` then finds the programs. */
export async function installAll(packages: readonly PublishedPackage[]): Promise<void> {
  const queue = [...packages];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      outcomes.set(next.package, await install(next).catch(outcomeOf));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  // In the output of every reporter, also of those that do not say why a test was skipped.
  for (const reason of new Set(packages.map(reasonToSkip)))
    if (reason !== undefined) console.warn(`Tests of published packages are skipped: ${reason}.`);
}

/** The absolute path of a package's program. Skips the test if the package cannot be had here. */
export function programOf(wanted: PublishedPackage, { skip }: TestContext): string {
  const {
    program,
    unavailable,
    failure = "installAll did not get it",
  } = outcomes.get(wanted.package) ?? {};
  if (program !== undefined) return program;
  const name = `${wanted.package}@${wanted.version}`;
  if (unavailable !== undefined) skip(`${name} is not installed: ${unavailable}`);
  throw new Error(`${name} is not installed: ${failure}`);
}

/** One of the three. */
interface Outcome {
  readonly program?: string;
  /** Why the tests are skipped: the reason is not in the workbench. */
  readonly unavailable?: string;
  readonly failure?: string;
}

const SKIP_VARIABLE = "SKIP_REAL_SOFTWARE";
const AT_ONCE = 2;
const PROBE_MS = 15_000;
const INSTALL_MS = 240_000;
/** What npm reports if the registry does not have a package or version. */
const NOT_THERE = /\b(?:E404|ETARGET)\b/;

const outcomes = new Map<string, Outcome>();
const reasonToSkip = ({ package: name }: PublishedPackage): string | undefined =>
  outcomes.get(name)?.unavailable;
let reachable: Promise<boolean> | undefined;

async function install(wanted: PublishedPackage): Promise<Outcome> {
  if (process.env[SKIP_VARIABLE]) return { unavailable: `${SKIP_VARIABLE} is set` };
  const cache = cacheFolder();
  const name = `${wanted.package}@${wanted.version}`.replaceAll("/", "+");
  const folder = join(cache, `${process.platform}-${process.arch}-${name}`);
  const program = join(folder, "node_modules/.bin", wanted.bin);
  if (existsSync(program)) return { program };
  if (!(await (reachable ??= isRegistryReachable(wanted))))
    return { unavailable: "npm does not reach the package registry" };
  // Installed elsewhere and renamed, so that an interrupted run leaves nothing that looks complete.
  const unfinished = mkdtempSync(join(cache, "unfinished-"));
  try {
    const manifest = { private: true, dependencies: { [wanted.package]: wanted.version } };
    writeFileSync(join(unfinished, "package.json"), JSON.stringify(manifest));
    const options = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
    if (wanted.scripts !== true) options.push("--ignore-scripts");
    await npm(["install", "--prefix", unfinished, ...options], INSTALL_MS);
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return existsSync(program) ? { program } : { failure: `it has no program ${wanted.bin}` };
}

interface NpmFailure {
  readonly stderr?: string;
  readonly message: string;
  /** Set when npm exceeded its time, because of the registry or a busy machine. */
  readonly killed?: boolean;
}

function outcomeOf(error: unknown): Outcome {
  const { stderr = "", message, killed } = error as NpmFailure;
  if (NOT_THERE.test(stderr))
    return { unavailable: "the package registry does not have one of them" };
  if (killed === true) return { unavailable: `npm did not finish within ${INSTALL_MS / 1000} s` };
  return { failure: stderr.trim() || message };
}

async function isRegistryReachable({ package: name, version }: PublishedPackage): Promise<boolean> {
  const options = ["--prefer-online", "--fetch-retries=0", `--fetch-timeout=${PROBE_MS}`];
  try {
    await npm(["view", `${name}@${version}`, "version", ...options], PROBE_MS);
    return true;
  } catch (error) {
    // An answer, whatever it is, comes from a registry.
    return NOT_THERE.test((error as { stderr?: string }).stderr ?? "");
  }
}

/** Not in the folder for temporary files: other users could put programs there. */
function cacheFolder(): string {
  const folder = join(
    process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
    "mcp-workbench-tests",
  );
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

async function npm(args: readonly string[], timeout: number): Promise<void> {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: process.env["EXTRA_CA_CERTS"] };
  const options = { cwd: cacheFolder(), env, timeout, killSignal: "SIGKILL" } as const;
  await promisify(execFile)("npm", args, options);
}
