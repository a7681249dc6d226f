import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // End-to-end tests start real processes; two cores and a cold disk need room.
    // Most tests wait for processes, so one more than the cores of a small machine pays.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
