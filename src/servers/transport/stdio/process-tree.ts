import { execFile } from "node:child_process";

import { isProcessRunning } from "../../../files/is-running.ts";
import { processTable, type ProcessRow, straysOf } from "./process-table.ts";

const WINDOWS = process.platform === "win32";
const POLL_MS = 20;
/** Listing all processes costs more than checking whether a group exists. */
const POLLS_PER_LOOK = 10;
/** SIGKILL cannot be ignored; this only lets the kernel finish. */
export const KILL_SETTLE_MS = 250;

/**
 * A server and everything it started. On POSIX each server leads its own process group, so a signal
 * reaches wrappers such as `npx` as well as their children; descendants that have left the group are
 * searched for. On Windows `taskkill /T` walks the tree.
 */
export class ProcessTree {
  readonly leader: number;
  /** Descendants found outside the group. */
  #strays: readonly ProcessRow[] = [];

  constructor(leader: number) {
    this.leader = leader;
  }

  /**
   * Finds descendants that have left the group; once the server has ended they cannot be recognised.
   * Returns whether any process runs. A zombie does not, although signals still find it: the first
   * process of a container often does not reap orphans.
   */
  async look(): Promise<boolean> {
    const table = WINDOWS ? [] : await processTable();
    this.#strays = straysOf(table, this.leader, this.#strays);
    if (table.length === 0) return this.alive;
    return this.#strays.length > 0 || table.some(({ group }) => group === this.leader);
  }

  signal(signal: "SIGTERM" | "SIGKILL"): void {
    if (WINDOWS) {
      const force = signal === "SIGKILL" ? ["/F"] : [];
      const args = ["/PID", String(this.leader), "/T", ...force];
      execFile("taskkill", args, { windowsHide: true }, () => {});
      return;
    }
    for (const group of this.#groups()) {
      try {
        process.kill(-group, signal);
      } catch {
        // The group is gone already.
      }
    }
  }

  get alive(): boolean {
    return WINDOWS
      ? isProcessRunning(this.leader)
      : [...this.#groups()].some((group) => isProcessRunning(-group));
  }

  /** Waits up to `ms` until all processes have ended. */
  async ended(ms: number): Promise<boolean> {
    const until = performance.now() + ms;
    for (let polls = 1; this.alive; polls++) {
      if (performance.now() >= until) return false;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      if (polls % POLLS_PER_LOOK === 0 && !(await this.look())) return true;
    }
    return true;
  }

  /** TERM, a grace period, KILL. Returns whether KILL was necessary. */
  async terminate(graceMs: number): Promise<boolean> {
    if (!this.alive || !(await this.look())) return false;
    this.signal("SIGTERM");
    if (await this.ended(graceMs)) return false;
    await this.look();
    this.signal("SIGKILL");
    await this.ended(KILL_SETTLE_MS);
    return true;
  }

  #groups(): Set<number> {
    return new Set([this.leader, ...this.#strays.map(({ group }) => group)]);
  }
}
