import { spawn } from "node:child_process";

import type { Environment } from "../../config/canonical/expand.ts";

/** The program that opens a web address, and its arguments. There is no shell: the address comes from a server. */
export function browserCommand(
  url: string,
  platform: NodeJS.Platform,
): readonly [program: string, ...args: string[]] {
  const { protocol, href } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:")
    throw new Error("only http and https addresses are opened");
  if (platform === "darwin") return ["open", href];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", href];
  return ["xdg-open", href];
}

/** Whether a browser that is opened here would be seen by the user. */
export function canOpenBrowser(env: Environment, platform: NodeJS.Platform): boolean {
  const isSet = (name: string): boolean => (env[name] ?? "") !== "";
  if (isSet("SSH_CONNECTION") || isSet("SSH_TTY")) return false;
  if (platform === "darwin" || platform === "win32") return true;
  return isSet("DISPLAY") || isSet("WAYLAND_DISPLAY");
}

/** Opens the browser of the user. Resolves with false if that fails; the address is printed anyway. */
export async function openBrowser(
  url: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const [program, ...args] = browserCommand(url, platform);
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: "ignore",
      detached: true,
      shell: false,
      env: { ...env },
    });
    child.once("error", () => resolve(false));
    child.once("spawn", () => resolve(true));
    // The browser stays open; this program does not wait for it.
    child.unref();
  });
}
