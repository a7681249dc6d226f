/** Programs of Debian that the full suite needs; installed if they are missing and can be. */
import { existsSync } from "node:fs";
import { spawnSync } from "node:child_process";

/** The path of a program; undefined if there is none. Services are in a folder that users do not search. */
export function findProgram(name: string): string | undefined {
  const { status, stdout } = spawnSync("which", [name], { encoding: "utf8" });
  if (status === 0) return stdout.trim();
  const service = `/usr/sbin/${name}`;
  return existsSync(service) ? service : undefined;
}

/** Finds a program, or installs the package that has it, as root on Linux. */
export function findOrInstall(name: string, debianPackage: string): string | undefined {
  const isRoot = process.getuid?.() === 0;
  if (findProgram(name) === undefined && isRoot && process.platform === "linux")
    install(debianPackage);
  return findProgram(name);
}

/** Other test files may do the same at the same time. */
function install(debianPackage: string): void {
  const options = {
    stdio: "ignore",
    // A service that the package brings is not started.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
  } as const;
  const get = (...args: string[]): boolean =>
    spawnSync("apt-get", ["-o", "DPkg::Lock::Timeout=300", ...args], options).status === 0;
  const isInstalled = (): boolean => get("install", "-y", "--no-install-recommends", debianPackage);
  if (!isInstalled() && get("update")) isInstalled();
}
