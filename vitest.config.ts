import { createHash, randomInt } from "node:crypto";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Everything random in a run derives from this seed; a failing test prints it.
const TEST_SEED = process.env["TEST_SEED"] ?? String(randomInt(1, 1_000_000));

// Node reads these certificates whenever it starts, which takes longer than the start itself, and tests
// start thousands of programs that do not need them. What downloads software gets them back.
const WITHOUT_EXTRA_CERTIFICATES = {
  NODE_EXTRA_CA_CERTS: "",
  EXTRA_CA_CERTS: process.env["NODE_EXTRA_CA_CERTS"] ?? "",
};

// `npm test` runs `unit`, `e2e` and `isolated`. `npm run test:full` runs `full` and `full-isolated`, what takes
// long or needs other software, and after that `timing`, what measures time, memory or processor time.
const FULL = "**/*.full.test.ts";
const TIMING = "**/*.timing.test.ts";

// Tests that replace modules; other files in the same process must not see the replacements.
const MOCKING = "test/security/differential-fuzz.test.ts";
const LONG_MOCKING = "test/security/differential-fuzz.full.test.ts";

// Vitest starts large files first. These are small, but take minutes: started last, they would run alone.
const LONG =
  /(?:real\/clients|real\/servers|differential-fuzz|conformance|policy-reference|scope-escapes|matrix|readme-walk|slowdown|guard\/calls|torture\/naive)\.full|checks\.test/;

/** The files of the full suite that need not run alone. */
const FULL_SUITE = {
  env: WITHOUT_EXTRA_CERTIFICATES,
  // After the projects of `npm test`, also when all of them are run at once.
  sequence: { groupOrder: 1 },
  maxConcurrency: 6,
  testTimeout: 300_000,
};

/** For `npm run test:repeat`: another order of files with every seed. */
const isShuffled = process.env["TEST_SHUFFLE"] !== undefined;

function shuffled(files: readonly TestSpecification[]): TestSpecification[] {
  const place = ({ moduleId }: TestSpecification): string =>
    createHash("sha256").update(`${TEST_SEED} ${moduleId}`).digest("hex");
  return files.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
}

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = isShuffled ? shuffled(files) : await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    env: { TEST_SEED },
    setupFiles: ["test/setup.ts"],
    sequence: { sequencer: LongFirst },
    // End-to-end tests mostly wait for processes, so three times as many workers as two cores pay off.
    maxWorkers: 6,
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
          exclude: [FULL, TIMING],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/**/*.test.ts"],
          env: WITHOUT_EXTRA_CERTIFICATES,
          exclude: [FULL, TIMING, MOCKING],
          isolate: false,
        },
      },
      { extends: true, test: { name: "isolated", include: [MOCKING] } },
      {
        extends: true,
        test: {
          ...FULL_SUITE,
          name: "full",
          include: ["test/**/*.full.test.ts", "bench/**/*.full.test.ts"],
          exclude: [LONG_MOCKING],
          isolate: false,
        },
      },
      { extends: true, test: { ...FULL_SUITE, name: "full-isolated", include: [LONG_MOCKING] } },
      {
        extends: true,
        test: {
          name: "timing",
          include: ["test/**/*.timing.test.ts", "bench/**/*.timing.test.ts"],
          env: WITHOUT_EXTRA_CERTIFICATES,
          // One file at a time, when nothing else is running: other tests would be measured as well.
          sequence: { groupOrder: 2 },
          fileParallelism: false,
          maxConcurrency: 6,
          testTimeout: 300_000,
        },
      },
    ],
  },
});
