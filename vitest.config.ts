import { defineConfig } from "vitest/config";

const TORTURE = "test/torture/**/*.test.ts";
const GUARD = ["bench/guard/guard.test.ts", "bench/guard/slowdown.test.ts"];

export default defineConfig({
  test: {
    // End-to-end tests start real processes; two cores and a cold disk need room.
    // Most tests wait for processes, so one more than the cores of a small machine pays.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: "tests",
          include: ["src/**/*.test.ts", "test/**/*.test.ts", "bench/**/*.test.ts"],
          exclude: [TORTURE, ...GUARD],
        },
      },
      {
        extends: true,
        test: {
          name: "torture",
          include: [TORTURE],
          // It measures, so it has the machine for itself when everything else is done.
          sequence: { groupOrder: 1 },
          fileParallelism: false,
          maxConcurrency: 6,
        },
      },
      {
        extends: true,
        test: {
          name: "speed",
          include: GUARD,
          sequence: { groupOrder: 2 },
          fileParallelism: false,
        },
      },
    ],
  },
});
