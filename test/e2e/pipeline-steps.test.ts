/** Each mode, era and transport; pipeline-steps.full.test.ts has all combinations. */
import { CELLS } from "../support/in-process-clients.ts";
import { describeSteps } from "./describe-steps.ts";

const KEPT = ["proxy legacy stdio", "dynamic modern http", "transparent modern stdio"];

describeSteps(
  CELLS.filter(({ mode, era, transport }) => KEPT.includes(`${mode} ${era} ${transport}`)),
);
