import { reasonOf } from "../../errors.ts";

/** The areas that `doctor` checks, in this order. */
export const AREAS = [
  "runtime",
  "config",
  "servers",
  "sign-in",
  "tokens",
  "clients",
  "files",
] as const;
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
  /** The last lines that a server wrote to standard error. */
  readonly lastOutput?: readonly string[];
}

/** The findings so far; fixes what can be fixed if asked to. */
export class Findings {
  readonly checks: Check[] = [];
  readonly #fixing: boolean;

  constructor(fixing: boolean) {
    this.#fixing = fixing;
  }

  add(check: Check): void {
    this.checks.push(check);
  }

  /** Reports something that can be fixed safely, and fixes it with `--fix`. */
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
    } catch (error) {
      // Not fixed: the user has to do it.
      const reason = reasonOf(error).replace(/\.$/, "");
      this.add({ ...check, message: `${check.message}; not fixed: ${reason}` });
    }
  }
}
