import { ledgerReport, readLedger } from "../../workbench/accounting/ledger.ts";
import type { DashboardContext } from "../context.ts";
import type { Savings } from "../contract.ts";

/** The numbers of `tokens --used`. */
export function savings({ workbench }: DashboardContext): Savings {
  return { isCounting: workbench.settings.countTokens, ...ledgerReport(readLedger()) };
}
