import { dirname, join } from "node:path";

export const LOCK_FILE = "workbench-lock.json";

/** The file with the approved definitions of a configuration's servers. */
export function lockFileOf(configFile: string): string {
  return join(dirname(configFile), LOCK_FILE);
}
