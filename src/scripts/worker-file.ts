import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const NAME = "script-worker.cjs";
/** From the program, a chunk of it, the library and the sources, to the folder of the chunks. */
const FOLDERS = ["chunks", ".", "../../chunks", "../../dist/chunks"];

/** The built code of the thread that runs scripts. */
export function workerFile(): string {
  const url = import.meta.url;
  const here = dirname(url.startsWith("file:") ? fileURLToPath(url) : url);
  const files = FOLDERS.map((folder) => join(here, folder, NAME));
  const found = files.find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${NAME} is missing; the installation is incomplete`);
  return found;
}
