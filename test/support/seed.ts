/** One seed for everything random in a run, so that a failure can be repeated: `TEST_SEED=… npm test`. */
export const SEED = Number(process.env["TEST_SEED"]);
if (!Number.isSafeInteger(SEED))
  throw new Error("TEST_SEED must be an integer; vitest.config.ts sets one");
