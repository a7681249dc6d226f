import { statSync } from "node:fs";

import { reasonOf } from "../errors.ts";

/** Changes whenever the file is replaced or its permissions change; undefined if it does not exist. */
export function versionOf(file: string): string | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found && `${found.ino} ${found.mtimeNs} ${found.ctimeNs} ${found.size} ${found.mode}`;
  } catch (error) {
    return reasonOf(error);
  }
}
