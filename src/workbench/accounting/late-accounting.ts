import type { CallObserver, ClientCall } from "../../calls/call.ts";
import type { Outcome } from "../../calls/outcome.ts";
import { reasonOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { ServerResponse } from "../../wire/response.ts";
import type { AccountingParts } from "./accounting-bundle.ts";
import type { CountedWorkbench } from "./definition-costs.ts";

/** What was counted is written this often, and at the end. */
const WRITE_AFTER_MS = 5000;
/** Calls that have not been counted yet. Further ones are left out, so that memory stays bounded. */
const MAX_WAITING = 2000;

/** One thing to count. */
type Work = (counter: AccountingParts["counter"]) => void;

/**
 * Counts the tokens of calls after their clients have the answers. Everything that counts is loaded
 * with the first call.
 */
export class LateAccounting implements CallObserver {
  readonly #workbench: CountedWorkbench & { readonly host: { readonly log: Logger } };
  #waiting: Work[] = [];
  #counting: Promise<void> | undefined;
  #parts: Promise<AccountingParts> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #warned = "";

  constructor(workbench: CountedWorkbench & { readonly host: { readonly log: Logger } }) {
    this.#workbench = workbench;
  }

  onStarted(): void {
    // Only the outcome counts.
  }

  onSettled(call: ClientCall, outcome: Outcome): Outcome {
    if (isCounted(call) && (call.method === "tools/call" || call.method === "tools/list"))
      this.#later((counter) => counter.count(call, outcome));
    return outcome;
  }

  onReplaced(call: ClientCall, stored: ServerResponse, given: ServerResponse): void {
    if (isCounted(call)) this.#later((counter) => counter.countStored(call, stored, given));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#counting;
    await this.#write();
  }

  #later(work: Work): void {
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(work);
    this.#counting ??= new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => this.#countAll())
      .finally(() => {
        this.#counting = undefined;
      });
  }

  async #countAll(): Promise<void> {
    try {
      this.#parts ??= import("./accounting-bundle.ts").then(({ accountingParts }) =>
        accountingParts(this.#workbench),
      );
      const { counter } = await this.#parts;
      for (let work = this.#waiting.shift(); work !== undefined; work = this.#waiting.shift()) {
        work(counter);
        // Calls of clients come first.
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      this.#timer ??= setTimeout(() => void this.#write(), WRITE_AFTER_MS).unref();
    } catch (error) {
      this.#waiting = [];
      this.#warnNotCounted(error);
    }
  }

  /** Resolves when everything that was counted until now is written. */
  #write(): Promise<void> {
    this.#timer = undefined;
    this.#writing = this.#writing.then(async () => {
      const parts = await this.#parts?.catch(() => undefined);
      const moved = await parts?.write();
      if (moved !== undefined)
        this.#warn(`the token counts were damaged and are kept as ${moved}; counting begins again`);
    });
    this.#writing = this.#writing.catch((error: unknown) => this.#warnNotCounted(error));
    return this.#writing;
  }

  #warnNotCounted(error: unknown): void {
    this.#warn(`tokens are not counted: ${reasonOf(error)}`);
  }

  /** A reason that stays the same is logged once. */
  #warn(message: string): void {
    if (message === this.#warned) return;
    this.#warned = message;
    this.#workbench.host.log.warn(message);
  }
}

/** The command line and the library are programs: no model reads what they get. */
function isCounted({ principal }: ClientCall): boolean {
  return principal.kind !== "local";
}
