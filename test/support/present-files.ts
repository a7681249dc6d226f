/** The files of a folder while another process writes and removes them. */
import { readdirSync, readFileSync, statSync } from "node:fs";

/** The names in the folder; none if it does not exist, or something else has its name. */
export function namesIn(folder: string): string[] {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true ? readdirSync(folder) : [];
}

/** Empty if the file was removed since it was found. */
export function textIfPresent(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
