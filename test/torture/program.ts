/** The program that a scenario is run against: ours, or the naive one that has to fail. */
import { fileURLToPath } from "node:url";
import { PROGRAM } from "../support/workbench.ts";

export interface Program {
  readonly file: string;
  /** The longest that anything is waited for; what takes longer has failed. */
  readonly patienceMs: number;
  /** The longest that anything is watched. */
  readonly watchMs: number;
}

export const WORKBENCH: Program = { file: PROGRAM, patienceMs: Infinity, watchMs: Infinity };

/** It is known to fail, so it is not waited for as long as a program that should succeed. */
export const NAIVE: Program = {
  file: fileURLToPath(new URL("naive-gateway.mjs", import.meta.url)),
  patienceMs: 4000,
  watchMs: 2500,
};
