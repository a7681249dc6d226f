import { type PastUse, boostsFor, pastUse } from "../../search/past-uses.ts";
import { addUses, readUses } from "./use-store.ts";

/** What learning from use needs, loaded when it is first used. */
export interface UseParts {
  readonly boostsFor: typeof boostsFor;
  readonly pastUse: typeof pastUse;
  readonly addUses: typeof addUses;
  readonly readUses: typeof readUses;
  /** What is stored, as far as it was read. */
  uses: readonly PastUse[];
}

export function useParts(): UseParts {
  return { boostsFor, pastUse, addUses, readUses, uses: readUses() };
}
