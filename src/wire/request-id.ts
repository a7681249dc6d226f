/**
 * Finds the id of a request that is too large to be read, so that it still gets its answer. Clients
 * write the id before the parameters or as the last member; of two, the last counts.
 */

const TEXT = String.raw`"(?:[^"\\]|\\.)*"`;
const ID = String.raw`"id"\s*:\s*(-?\d{1,15}|${TEXT})\s*`;
const REQUEST = new RegExp(
  String.raw`^\s*\{\s*(?:"(?:jsonrpc|id)"\s*:\s*(?:-?\d+|${TEXT})\s*,\s*)*"(?:method|params)"`,
);
const BEFORE_PARAMS = new RegExp(
  String.raw`^\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*${TEXT}\s*,\s*)*${ID},`,
);
const LAST = new RegExp(String.raw`,\s*${ID}(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`);

/** The id as JSON; undefined if it is not a request, or has no id at either end. */
export function requestIdOf(head: Buffer, tail: Buffer): string | undefined {
  const text = head.toString("utf8");
  if (!REQUEST.test(text)) return undefined;
  return (LAST.exec(tail.toString("utf8")) ?? BEFORE_PARAMS.exec(text))?.[1];
}
