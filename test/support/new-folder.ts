import { randomInt } from "node:crypto";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MAX_RANDOM = 2 ** 47;

/**
 * Creates a temporary folder. Its name has random digits and no random letters, which could form a
 * word that the program looks for in paths, such as "aws".
 */
export function newFolder(name: string): string {
  const folder = join(tmpdir(), `${name}-${randomInt(MAX_RANDOM)}`);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}
