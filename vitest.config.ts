import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // End-to-end tests start real processes; two cores and a cold disk need room.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
