import { appendFileSync } from "node:fs";
import { checkInvariants, type Expectations, type Figures } from "./invariants.ts";
import type { Program } from "./program.ts";
import { Rig } from "./rig.ts";

export interface Scenario {
  readonly id: string;
  /** A sentence that states what has to hold. */
  readonly title: string;
  /** Keeps the processors busy, so that nothing else should be measured beside it. */
  readonly loud?: boolean;
  /** What a naive gateway breaks, as the failure reports it. */
  readonly naive: RegExp;
  readonly expected?: Expectations;
  readonly play: (rig: Rig) => Promise<void>;
}

/** Plays a scenario against a program, and checks what has to hold after each. */
export async function play(scenario: Scenario, program: Program): Promise<Figures[]> {
  const rig = new Rig(program);
  try {
    await scenario.play(rig);
    const figures: Figures[] = [];
    for (const run of rig.runs) figures.push(await checkInvariants(rig, run, scenario.expected));
    report(scenario, figures);
    return figures;
  } finally {
    await rig.dispose();
  }
}

/** With TORTURE_REPORT=FILE the figures of each scenario are appended to it as a line of JSON. */
function report({ id, title }: Scenario, figures: readonly Figures[]): void {
  const file = process.env["TORTURE_REPORT"];
  if (file) appendFileSync(file, `${JSON.stringify({ id, title, figures })}\n`);
}
