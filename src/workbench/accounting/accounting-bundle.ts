import { type CountedWorkbench, definitionCosts } from "./definition-costs.ts";
import { addToLedger } from "./ledger.ts";
import { TokenCounter } from "./token-counter.ts";

/** What counts tokens, loaded with the first call. */
export interface AccountingParts {
  readonly counter: TokenCounter;
  /** Adds what was counted to the ledger. */
  write(): Promise<void>;
}

export function accountingParts(workbench: CountedWorkbench): AccountingParts {
  const counter = new TokenCounter(definitionCosts(workbench));
  return {
    counter,
    async write() {
      const counted = counter.take();
      if (counted.length > 0) await addToLedger(counted, new Date().toISOString().slice(0, 10));
    },
  };
}
