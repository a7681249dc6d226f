/** Longer than every legal tool name, and than the names that people give to anything. */
const MAX_NAME_CHARS = 300;

/**
 * A name from a peer, for a message. A name may be as long as the body of a request; quoting it in full
 * would take the time of other clients and the tokens of the agent.
 */
export function shownName(name: string): string {
  if (name.length <= MAX_NAME_CHARS) return name;
  // Do not keep half of a surrogate pair.
  return `${name.slice(0, MAX_NAME_CHARS).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** The same as JSON, for a value that may not even be a string. */
export function shownValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(shownName(value));
  return shownName(JSON.stringify(value) ?? "undefined");
}
