/** The program that a scenario is run against: ours, or the naive one that has to fail. */
import { fileURLToPath } from "node:url";
import { PROGRAM } from "../support/workbench.ts";

export interface Program {
  readonly file: string;
  /** Whether its clients share a process, which ends with the last of them. */
  readonly shared?: true;
  /**
   * Whether latency, memory, processor time and elapsed times are judged as well. They mean nothing
   * on a busy machine.
   */
  readonly measured: boolean;
  /** The longest that its start may take. */
  readonly startMs: number;
  /** Whether an idle machine can be relied on to do everything within the given limits; so if measured. */
  readonly isPrompt?: false;
  /** The longest that an answer is waited for. */
  readonly answerMs: number;
  /** The longest that anything else is waited for; what takes longer has failed. */
  readonly patienceMs: number;
  /** The longest that anything is watched. */
  readonly watchMs: number;
}

/** Longer than a machine with busy cores takes for anything here. */
export const BUSY_MACHINE_MS = 90_000;

/** The built program, with everything judged that does not depend on the speed of the machine. */
export const WORKBENCH: Program = {
  file: PROGRAM,
  measured: false,
  startMs: BUSY_MACHINE_MS,
  answerMs: BUSY_MACHINE_MS,
  patienceMs: Infinity,
  watchMs: 500,
};

/** The same through the process that clients share. */
export const SHARED: Program = { ...WORKBENCH, shared: true };

/** The built program on a machine that has nothing else to do. */
export const MEASURED_WORKBENCH: Program = {
  file: PROGRAM,
  measured: true,
  startMs: 20_000,
  answerMs: 20_000,
  patienceMs: Infinity,
  watchMs: Infinity,
};

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** It is known to fail, so it is not waited for as long as a program that should succeed. */
export const NAIVE: Program = {
  file: pathOf("naive-gateway.mjs"),
  measured: true,
  startMs: 12_000,
  answerMs: 4000,
  patienceMs: 4000,
  watchMs: 2500,
};

/** The same beside other tests: only what it never does takes longer. */
export const UNHURRIED_NAIVE: Program = {
  ...NAIVE,
  isPrompt: false,
  startMs: 20_000,
  answerMs: 10_000,
  patienceMs: 10_000,
};

/** It is known to fail where the output of servers is not checked. */
export const CARELESS: Program = { ...NAIVE, file: pathOf("careless-relay.mjs") };
