import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { type WordTable, readWordTable } from "../../search/vectors/word-table.ts";

const FILE = join("data", "word-vectors.bin");
/** The program, the library and the sources are at different depths of the package. */
const MAX_DEPTH = 5;

let reading: Promise<WordTable> | undefined;

/** The table of word vectors that is part of the package. It is read once, when something is searched. */
export function wordTable(): Promise<WordTable> {
  reading ??= read();
  return reading;
}

async function read(): Promise<WordTable> {
  const url = import.meta.url;
  let folder = dirname(url.startsWith("file:") ? fileURLToPath(url) : url);
  let problem: unknown;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    folder = dirname(folder);
    try {
      return readWordTable(await readFile(join(folder, FILE)));
    } catch (error) {
      problem = error;
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") break;
    }
  }
  throw problem;
}
