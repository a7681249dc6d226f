/** Every combination. In the full suite because each starts four workbenches with their servers. */
import { CELLS } from "../support/in-process-clients.ts";
import { describeSteps } from "./describe-steps.ts";

describeSteps(CELLS);
