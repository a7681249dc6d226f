import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import type { ServerSettings } from "../config/types.ts";
import { npxFolder } from "../servers/transport/stdio/npx-cache.ts";
import { asText, isObject, parseJson } from "../text/json.ts";
import { type PackageKind, isLocation, packageSpecIn } from "./package-spec.ts";

/** The package that a package manager runs as a server. */
export interface PackageSource {
  readonly kind: PackageKind;
  readonly name: string;
  /** The version that ran; missing if it is not known. */
  readonly version?: string;
  /** Whether the command line names exactly this version. */
  readonly pinned: boolean;
}

const NAMES: Readonly<Record<PackageKind, RegExp>> = {
  npm: /^((?:@[^/]+\/)?[^@]+)(?:@(.+))?$/,
  pypi: /^([\w.-]+?)(?:\[.*?\])?(?:(?:==|@)(.+))?$/,
};
/** One version, not a range or a tag. */
const EXACT = /^v?\d+(?:\.\d+)+[-+.\w]*$/;

/**
 * The package behind a server that has just been started, and its version: from the command line,
 * from the cache of the package manager, or from what the server reports. Uses no network.
 */
export async function packageSource(
  { transport }: Pick<ServerSettings, "transport">,
  reportedVersion: unknown,
  env: NodeJS.ProcessEnv = process.env,
): Promise<PackageSource | undefined> {
  if (transport.kind !== "stdio") return undefined;
  const found = packageSpecIn([transport.command, ...transport.args]);
  if (found === undefined || isLocation(found)) return undefined;
  const { kind, spec } = found;
  const [, name, wanted] = NAMES[kind].exec(spec) ?? [];
  if (name === undefined) return undefined;
  if (wanted !== undefined && EXACT.test(wanted))
    return { kind, name, version: wanted, pinned: true };
  const variables = definedIn({ ...env, ...transport.env });
  const cached = await (kind === "npm"
    ? npxVersion(name, spec, variables)
    : uvVersion(name, variables));
  const version = cached ?? (asText(reportedVersion) || undefined);
  return { kind, name, ...(version !== undefined && { version }), pinned: false };
}

type Variables = Readonly<Record<string, string>>;

function definedIn(env: NodeJS.ProcessEnv): Variables {
  const known = Object.entries(env).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as Variables;
}

/** npx installs each package in a folder whose name it derives from what it was asked for. */
async function npxVersion(name: string, spec: string, env: Variables): Promise<string | undefined> {
  const folder = npxFolder(env);
  if (folder === undefined) return undefined;
  const hash = createHash("sha512").update(spec).digest("hex").slice(0, 16);
  const file = join(folder, hash, "node_modules", ...name.split("/"), "package.json");
  const manifest = parseJson(await readFile(file, "utf8").catch(() => ""));
  return isObject(manifest) ? asText(manifest["version"]) || undefined : undefined;
}

/** uv keeps wheels by package and version; only if there is one version is it certainly the one. */
async function uvVersion(name: string, env: Variables): Promise<string | undefined> {
  const cache = env["UV_CACHE_DIR"] ?? uvCache(env);
  if (cache === undefined) return undefined;
  const normal = name.toLowerCase().replaceAll(/[-_.]+/g, "-");
  const versions = new Set<string>();
  for (const wheels of await namesIn(cache)) {
    if (!/^wheels-v\d+$/.test(wheels)) continue;
    for (const wheel of await namesIn(join(cache, wheels, "pypi", normal))) {
      const version = /^(\d[^-]*)-/.exec(wheel)?.[1];
      if (version !== undefined) versions.add(version);
    }
  }
  return versions.size === 1 ? [...versions][0] : undefined;
}

function uvCache(env: Variables): string | undefined {
  if (process.platform === "win32")
    return env["LOCALAPPDATA"] && join(env["LOCALAPPDATA"], "uv", "cache");
  if (env["XDG_CACHE_HOME"]) return join(env["XDG_CACHE_HOME"], "uv");
  return env["HOME"] && join(env["HOME"], ".cache", "uv");
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
