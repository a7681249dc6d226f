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

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** It is known to fail, so it is not waited for as long as a program that should succeed. */
export const NAIVE: Program = {
  file: pathOf("naive-gateway.mjs"),
  startMs: 12_000,
  patienceMs: 4000,
  watchMs: 2500,
};

/** It is known to fail where what servers write is not checked. */
export const CARELESS: Program = { ...NAIVE, file: pathOf("careless-relay.mjs") };
