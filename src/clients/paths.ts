import { posix, win32 } from "node:path";

import type { ClientRow } from "./types.ts";

/** What paths depend on. Passed in, so that every platform can be tested on every other. */
export interface HostInfo {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/**
 * Fills in a path template: `{home}`, `{appData}` (where desktop applications keep their data),
 * `{xdg}` (the same for programs that follow the XDG rules on every platform), `{env:NAME}`.
 * Undefined when a variable is not set: then the path does not apply to this machine.
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

/** The user files of a client, the current location first. May contain `*` for one folder. */
export function userFiles(row: ClientRow, host: HostInfo): readonly string[] {
  const override = row.override === undefined ? undefined : resolvePath(row.override, host);
  if (override !== undefined) return [override];
  const { userFiles: files } = row;
  const templates = "linux" in files ? files[systemOf(host)] : files;
  return templates.flatMap((template) => resolvePath(template, host) ?? []);
}

export function projectFiles(row: ClientRow, folder: string, host: HostInfo): readonly string[] {
  return row.projectFiles.map((file) => pathsOf(host).join(folder, file));
}

/** Files or folders that show that a client is installed: one of them is enough. */
export function markersOf(row: ClientRow, host: HostInfo): readonly string[] {
  const { dirname } = pathsOf(host);
  const folders = userFiles(row, host)
    .filter((file) => !file.includes("*"))
    .map((file) => dirname(file));
  const signs = row.markers?.flatMap((sign) => resolvePath(sign, host) ?? []);
  return [...new Set(signs ?? folders)];
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
