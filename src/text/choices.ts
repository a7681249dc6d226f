import { nearest } from "./nearest.ts";

const MAX_CHOICES = 12;

/** The nearest name, or all names. */
export function choices(name: string, existing: Iterable<string>): string {
  const names = [...existing];
  const near = nearest(name, names);
  if (near !== undefined) return `Did you mean '${near}'?`;
  if (names.length === 0) return "There are none";
  const shown = names.slice(0, MAX_CHOICES).join(", ");
  const more = names.length - MAX_CHOICES;
  return `Available: ${shown}${more > 0 ? `, and ${more} more` : ""}`;
}
