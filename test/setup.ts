/** Runs before every test file: one seed for all, and a failed test prints what the programs said. */
import { configureGlobal } from "fast-check";
import { beforeEach } from "vitest";
import { SEED } from "./support/seed.ts";
import { transcriptsSince } from "./support/transcript.ts";

configureGlobal({ seed: SEED });

beforeEach(({ task, onTestFailed }) => {
  const start = performance.now();
  onTestFailed(() => {
    const seed = `${task.name}: to repeat it with the same random input, set TEST_SEED=${SEED}`;
    console.error([seed, ...transcriptsSince(start)].join("\n"));
  });
});
