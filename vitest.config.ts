import { randomInt } from "node:crypto";
import { defineConfig } from "vitest/config";

// Everything random in a run derives from this seed; a failing test prints it.
const TEST_SEED = process.env["TEST_SEED"] ?? String(randomInt(1, 1_000_000));

// `npm test` runs `unit`, `e2e` and `isolated`. `npm run test:full` runs `full`: what takes minutes, or measures
// time and therefore needs an otherwise idle machine.
const FULL = "**/*.full.test.ts";

// Tests that replace modules; other files in the same process must not see the replacements.
const MOCKING = "test/security/differential-fuzz.test.ts";

export default defineConfig({
  test: {
    env: { TEST_SEED },
    setupFiles: ["test/setup.ts"],
    // End-to-end tests mostly wait for processes, so twice as many workers as two cores pay off.
    maxWorkers: 4,
    // On a busy machine a process may need seconds to start, and a test starts several.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Without isolation, files share a process: they leave no global state behind, and a process for
    // each of them would cost more than most of their tests.
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "bench/**/*.test.ts"],
          exclude: [FULL],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/**/*.test.ts"],
          exclude: [FULL, MOCKING],
          isolate: false,
        },
      },
      { extends: true, test: { name: "isolated", include: [MOCKING] } },
      {
        extends: true,
        test: {
          name: "full",
          include: ["test/**/*.full.test.ts", "bench/**/*.full.test.ts"],
          fileParallelism: false,
          // After the other projects, also when all of them are run at once.
          sequence: { groupOrder: 1 },
          maxConcurrency: 6,
          testTimeout: 300_000,
        },
      },
    ],
  },
});
