import { plural } from "../../output/layout.ts";
import type { Output } from "../../output/output.ts";

/** Counts the lines that cannot be read, to be reported at the end. */
export class DamagedLines {
  #count = 0;

  readonly add = (): void => {
    this.#count++;
  };

  report(out: Output): void {
    if (this.#count === 0) return;
    const lines = plural(this.#count, "line is", "lines are");
    out.warn(`${lines} not readable and left out. Run: mcp-workbench audit verify`);
  }
}
