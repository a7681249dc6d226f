import { randomInt } from "node:crypto";
import { defineConfig } from "vitest/config";

// Everything random in a run derives from this seed; a failing test prints it.
const TEST_SEED = process.env["TEST_SEED"] ?? String(randomInt(1, 1_000_000));

// `npm test` runs `unit` and `e2e`. `npm run test:full` runs `full`: what takes minutes, or measures
// time and therefore needs an otherwise idle machine.
const FULL = "**/*.full.test.ts";

export default defineConfig({
  test: {
    env: { TEST_SEED },
    setupFiles: ["test/setup.ts"],
    // End-to-end tests mostly wait for processes, so one worker more than two cores pays off.
    maxWorkers: 3,
    // On a busy machine a process may need seconds to start, and a test starts several.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "bench/**/*.test.ts"],
          exclude: [FULL],
          // Unit tests share no global state, and a process per file costs more than the tests do.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: "e2e", include: ["test/**/*.test.ts"], exclude: [FULL] },
      },
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
