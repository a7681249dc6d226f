/** Holds a server back until the test releases it, so that no test has to guess a duration. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Disposables } from "./disposables.ts";
import { temporaryFolder } from "./workbench.ts";

export interface Gate {
  /** For the fixture's option `--wait-for`, or the argument `until` of its tool `sleep`. */
  readonly file: string;
  open(): void;
}

export function closedGate(disposables: Disposables): Gate {
  const file = join(temporaryFolder(disposables), "open");
  return { file, open: () => writeFileSync(file, "") };
}
