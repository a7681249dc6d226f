import { codeOf } from "../text/error-code.ts";

/** Whether there is a process of this number; one of another user counts as well. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
