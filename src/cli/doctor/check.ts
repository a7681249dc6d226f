/** The parts that `doctor` looks at, in this order. */
export const AREAS = ["runtime", "config", "servers", "clients", "files"] as const;
export type Area = (typeof AREAS)[number];

/** One finding of `doctor`. */
export interface Check {
  readonly area: Area;
  /** What it is about: a file, a server, a client. */
  readonly subject: string;
  readonly status: "ok" | "warning" | "error" | "fixed";
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
  /** The last lines that a server wrote to its error output. */
  readonly lastOutput?: readonly string[];
}

/** The findings so far, and whether to put right what can be. */
export class Findings {
  readonly checks: Check[] = [];
  readonly #fixing: boolean;

  constructor(fixing: boolean) {
    this.#fixing = fixing;
  }

  add(check: Check): void {
    this.checks.push(check);
  }

  /** Reports something that can be put right safely, and does so if that was asked for. */
  async repairable(
    check: Check & { readonly fix: string },
    repair: () => Promise<void>,
  ): Promise<void> {
    if (!this.#fixing) {
      this.add({ ...check, fix: `${check.fix} ('mcp-workbench doctor --fix' does it)` });
      return;
    }
    try {
      await repair();
      this.add({
        area: check.area,
        subject: check.subject,
        status: "fixed",
        message: check.message,
      });
    } catch {
      // It stays what it was: something for a person to do.
      this.add(check);
    }
  }
}
