import { defineConfig } from "vitest/config";

/** The proof that the guard finds a slowdown, apart from the other tests because it measures. */
export default defineConfig({
  test: { include: ["bench/guard/slowdown.test.ts"], testTimeout: 300_000 },
});
