/** The program that a scenario is run against: ours, or the naive one that has to fail. */
import { fileURLToPath } from "node:url";
import { PROGRAM } from "../support/workbench.ts";

export interface Program {
  readonly file: string;
  /** The longest that its start may take. */
  readonly startMs: number;
  /** The longest that anything is waited for; what takes longer has failed. */
  readonly patienceMs: number;
  /** The longest that anything is watched. */
  readonly watchMs: number;
}

export const WORKBENCH: Program = {
  file: PROGRAM,
  startMs: 20_000,
  patienceMs: Infinity,
  watchMs: Infinity,
};

/** It is known to fail, so it is not waited for as long as a program that should succeed. */
export const NAIVE: Program = {
  file: fileURLToPath(new URL("naive-gateway.mjs", import.meta.url)),
  startMs: 12_000,
  patienceMs: 4000,
  watchMs: 2500,
};
