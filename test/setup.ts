/**
 * Runs before every test file: one seed for all; a failed test prints the transcripts of its
 * programs.
 */
import * as fc from "fast-check";
import { beforeEach } from "vitest";
import { reportProcessorTime } from "./support/processor-time.ts";
import { SEED } from "./support/seed.ts";
import { transcriptsSince } from "./support/transcript.ts";

fc.configureGlobal({ seed: SEED });

const report = process.env["PROCESSOR_TIME_REPORT"];
if (report) reportProcessorTime(report);

beforeEach(({ task, onTestFailed }) => {
  const start = performance.now();
  onTestFailed(() => {
    const seed = `${task.name}: to repeat it with the same random input, set TEST_SEED=${SEED}`;
    console.error([seed, ...transcriptsSince(start)].join("\n"));
  });
});
