import { type CountedWorkbench, definitionCosts, readDefinitions } from "./definition-costs.ts";
import { addToLedger } from "./ledger.ts";
import { TokenCounter } from "./token-counter.ts";

/** What counts tokens, loaded with the first call. */
export interface AccountingParts {
  readonly counter: TokenCounter;
  /**
   * Adds what was counted to the ledger; if that fails, the next time adds it. Returns where a
   * damaged ledger was moved to.
   */
  write(): Promise<string | undefined>;
}

export function accountingParts(workbench: CountedWorkbench): AccountingParts {
  const counter = new TokenCounter(definitionCosts(workbench));
  return {
    counter,
    async write() {
      await readDefinitions(workbench);
      const counted = counter.take();
      if (counted.length === 0) return undefined;
      try {
        return await addToLedger(counted, new Date());
      } catch (error) {
        counter.putBack(counted);
        throw error;
      }
    },
  };
}
