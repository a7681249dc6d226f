import { posix, win32 } from "node:path";

import type { ClientRow } from "./types.ts";

/** The machine as far as paths depend on it. Given, not looked up, so that every system can be tested on every other. */
export interface HostInfo {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/**
 * Fills in a path template: `{home}`, `{appData}` (where desktop applications keep their data),
 * `{xdg}` (where programs do that follow the XDG rules on every system), `{env:NAME}`. Undefined
 * when a variable it names is not set, because then it is not about this machine.
 */
export function resolvePath(template: string, host: HostInfo): string | undefined {
  const { join } = pathsOf(host);
  let isComplete = true;
  const filled = template.replaceAll(/\{([\w:]+)\}/g, (_all, name: string) => {
    const value = valueOf(name, host);
    if (value === undefined || value === "") isComplete = false;
    return value ?? "";
  });
  return isComplete ? join(filled) : undefined;
}

/** The user files of a client on a machine, the current place first. May contain `*` for one folder. */
export function userFiles(row: ClientRow, host: HostInfo): readonly string[] {
  const override = row.override === undefined ? undefined : resolvePath(row.override, host);
  if (override !== undefined) return [override];
  const { userFiles: files } = row;
  const templates = "linux" in files ? files[systemOf(host)] : files;
  return templates.flatMap((template) => resolvePath(template, host) ?? []);
}

/** The files of a client in a project's folder. */
export function projectFiles(row: ClientRow, folder: string, host: HostInfo): readonly string[] {
  return row.projectFiles.map((file) => pathsOf(host).join(folder, file));
}

/** What shows that a client is installed: any one of these exists. */
export function markersOf(row: ClientRow, host: HostInfo): readonly string[] {
  const { dirname } = pathsOf(host);
  const folders = userFiles(row, host)
    .filter((file) => !file.includes("*"))
    .map((file) => dirname(file));
  const signs = row.markers?.flatMap((sign) => resolvePath(sign, host) ?? []);
  return signs ?? folders;
}

function systemOf({ platform }: HostInfo): "darwin" | "win32" | "linux" {
  return platform === "darwin" || platform === "win32" ? platform : "linux";
}

function pathsOf({ platform }: HostInfo): typeof posix {
  return platform === "win32" ? win32 : posix;
}

function valueOf(name: string, host: HostInfo): string | undefined {
  const { env, home } = host;
  if (name.startsWith("env:")) return env[name.slice("env:".length)];
  if (name === "home") return home;
  const { join } = pathsOf(host);
  if (name === "xdg" || systemOf(host) === "linux") {
    return env["XDG_CONFIG_HOME"] || join(home, ".config");
  }
  if (host.platform === "darwin") return join(home, "Library", "Application Support");
  return env["APPDATA"] || join(home, "AppData", "Roaming");
}
