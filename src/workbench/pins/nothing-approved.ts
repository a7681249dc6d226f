import type { DefinitionPins, ReviewedTools } from "../../servers/definition-pins.ts";

const REASON = "the approved definitions have not been read yet";

/** Before the lock file has been read, nothing may be shown or called. */
export const NOTHING_APPROVED: DefinitionPins = {
  isEnforced: true,
  blockedReason: () => REASON,
  reviewTools: (_place, listed): ReviewedTools => ({
    withheld: new Map(listed.map(({ value }) => [String(value["name"]), REASON])),
    problems: [],
  }),
  approvedItems: () => [],
  approvesInstructions: () => false,
  prepareTools: () => Promise.resolve(),
};
