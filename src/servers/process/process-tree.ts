import { execFile } from "node:child_process";

/**
 * Ends a server together with everything it started. On POSIX each server leads a process group of
 * its own, so a signal reaches wrappers such as `npx` and their children alike; on Windows
 * `taskkill /T` walks the tree.
 */

const WINDOWS = process.platform === "win32";
const POLL_MS = 20;
/** After SIGKILL nothing has to be waited for; this only lets the kernel finish. */
const KILL_SETTLE_MS = 250;

export function signalTree(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  if (WINDOWS) {
    const force = signal === "SIGKILL" ? ["/F"] : [];
    execFile("taskkill", ["/PID", String(pid), "/T", ...force], { windowsHide: true }, () => {});
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}

export function treeAlive(pid: number): boolean {
  try {
    process.kill(WINDOWS ? pid : -pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Waits until nothing of the tree is left, at most `ms`. */
export async function treeEnded(pid: number, ms: number): Promise<boolean> {
  const until = performance.now() + ms;
  while (treeAlive(pid)) {
    if (performance.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return true;
}

/** TERM, a grace period, KILL. */
export async function terminateTree(pid: number, graceMs: number): Promise<void> {
  if (!treeAlive(pid)) return;
  signalTree(pid, "SIGTERM");
  if (await treeEnded(pid, graceMs)) return;
  signalTree(pid, "SIGKILL");
  await treeEnded(pid, KILL_SETTLE_MS);
}
