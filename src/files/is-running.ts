import { codeOf } from "../text/error-code.ts";

/** Whether a process with this id exists, of any user. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
