import { codeOf } from "../text/error-code.ts";

/** Whether a process with this id exists, of any user; a negative id is that of a process group. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
