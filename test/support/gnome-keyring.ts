/** GNOME Keyring in a D-Bus session of its own. Linux only. */
import { spawn } from "node:child_process";
import { accessSync, constants, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import type { Disposables } from "./disposables.ts";
import { temporaryFolder } from "./workbench.ts";

/** If a file of this name is in XDG_RUNTIME_DIR, the keychain stays locked when it is started. */
export const LOCKED_FILE = "starts-locked";

/** Which of these programs are not installed. */
export function missingPrograms(...names: readonly string[]): string[] {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return names.filter((name) => !folders.some((folder) => isProgram(join(folder, name))));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The daemon is started by the bus, with the first request. So the first caller waits until it can
 * answer, and the next request after its end starts another one with the same keychain.
 */
const START = `
if [ -e "$XDG_RUNTIME_DIR/${LOCKED_FILE}" ]; then
  exec gnome-keyring-daemon --foreground --components=secrets
fi
printf 'password\\n' | gnome-keyring-daemon --unlock --foreground --components=secrets
`;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in a new session with a keychain that is unlocked when it is first used. */
export async function runWithKeyring(
  disposables: Disposables,
  command: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Ended> {
  const runtime = temporaryFolder(disposables);
  const services = join(runtime, "dbus-1", "services");
  mkdirSync(services, { recursive: true });
  const start = join(runtime, "start-keyring.sh");
  writeFileSync(start, START);
  writeFileSync(
    join(services, "org.freedesktop.secrets.service"),
    `[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/sh ${start}\n`,
  );
  const { DISPLAY: _, WAYLAND_DISPLAY: __, DBUS_SESSION_BUS_ADDRESS: ___, ...rest } = env;
  const child = spawn("dbus-run-session", ["--", ...command], {
    env: { ...rest, XDG_RUNTIME_DIR: runtime },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text) => (stdout += String(text)));
  child.stderr.on("data", (text) => (stderr += String(text)));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.on("error", reject).on("close", resolve),
  );
  return { code, stdout, stderr };
}
