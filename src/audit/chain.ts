import { hash } from "node:crypto";

/**
 * The entries of a run of files form a chain: each contains the hash of the line before it, so that
 * a changed, removed or inserted line shows.
 */

/** The end of a chain: what the next entry continues. */
export interface ChainEnd {
  /** The number of the last entry. */
  readonly seq: number;
  /** The SHA-256 of its line, without the line break. */
  readonly hash: string;
}

export const NEW_CHAIN: ChainEnd = { seq: 0, hash: "0".repeat(64) };

export const FORMAT_VERSION = 1;

/** The next line of a chain, without the line break; `body` is the JSON of a non-empty object. */
export function chained(end: ChainEnd, run: string, body: string): string {
  const { seq, hash: prev } = end;
  return `{"v":${FORMAT_VERSION},"run":"${run}","seq":${seq + 1},"prev":"${prev}",${body.slice(1)}`;
}

/** The end of a chain after this line. */
export function endAfter({ seq }: ChainEnd, line: string): ChainEnd {
  return { seq: seq + 1, hash: hash("sha256", line) };
}
