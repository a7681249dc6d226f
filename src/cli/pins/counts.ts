import type { Difference } from "../../pins/differences.ts";
import type { Severity } from "../../pins/severity.ts";

/** How many differences there are of each severity. */
export function countsOf(differences: readonly Difference[]): Record<Severity, number> {
  const counts = { severe: 0, review: 0, cosmetic: 0 };
  for (const { severity } of differences) counts[severity]++;
  return counts;
}
