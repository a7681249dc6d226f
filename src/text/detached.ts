/** A slice of a string keeps the whole string in memory; a copy does not. */
export function detached(piece: string): string {
  return Buffer.from(piece).toString("utf8");
}
