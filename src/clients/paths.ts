import { posix, win32 } from "node:path";

import type { ClientRow } from "./types.ts";

/** The machine as far as paths depend on it. Given, not looked up, so that every system can be tested on every other. */
export interface Place {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/**
 * Fills in a path template: `{home}`, `{appData}` (where desktop applications keep their data),
 * `{xdg}` (where programs do that follow the XDG rules on every system), `{env:NAME}`. Undefined
 * when a variable it names is not set, because then it is not about this machine.
 */
export function resolvePath(template: string, place: Place): string | undefined {
  const { join } = pathsOf(place);
  let isComplete = true;
  const filled = template.replaceAll(/\{([\w:]+)\}/g, (_all, name: string) => {
    const value = valueOf(name, place);
    if (value === undefined || value === "") isComplete = false;
    return value ?? "";
  });
  return isComplete ? join(filled) : undefined;
}

/** The user files of a client on a machine, the current place first. May contain `*` for one folder. */
export function userFiles(row: ClientRow, place: Place): readonly string[] {
  const override = row.override === undefined ? undefined : resolvePath(row.override, place);
  if (override !== undefined) return [override];
  const { userFiles: files } = row;
  const templates = "linux" in files ? files[systemOf(place)] : files;
  return templates.flatMap((template) => resolvePath(template, place) ?? []);
}

/** The files of a client in a project's folder. */
export function projectFiles(row: ClientRow, folder: string, place: Place): readonly string[] {
  return row.projectFiles.map((file) => pathsOf(place).join(folder, file));
}

/** What shows that a client is installed: any one of these exists. */
export function signsOf(row: ClientRow, place: Place): readonly string[] {
  const { dirname } = pathsOf(place);
  const folders = userFiles(row, place)
    .filter((file) => !file.includes("*"))
    .map((file) => dirname(file));
  const signs = row.signs?.flatMap((sign) => resolvePath(sign, place) ?? []);
  return signs ?? folders;
}

function systemOf({ platform }: Place): "darwin" | "win32" | "linux" {
  return platform === "darwin" || platform === "win32" ? platform : "linux";
}

function pathsOf({ platform }: Place): typeof posix {
  return platform === "win32" ? win32 : posix;
}

function valueOf(name: string, place: Place): string | undefined {
  const { env, home } = place;
  if (name.startsWith("env:")) return env[name.slice("env:".length)];
  if (name === "home") return home;
  const { join } = pathsOf(place);
  if (name === "xdg" || systemOf(place) === "linux") {
    return env["XDG_CONFIG_HOME"] || join(home, ".config");
  }
  if (place.platform === "darwin") return join(home, "Library", "Application Support");
  return env["APPDATA"] || join(home, "AppData", "Roaming");
}
