/**
 * Feeds damaged messages to the built program:
 *
 *   npm run fuzz -- --inputs 1000000 --seed 7
 *
 * An input that breaks a rule is kept in `regressions`, and the exit code is not 0.
 */
import { parseArgs } from "node:util";
import { fuzz, keep } from "./fuzz/run.ts";

const { values } = parseArgs({
  options: {
    inputs: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const inputs = Number(values.inputs);
const seed = Number(values.seed);
if (!Number.isSafeInteger(inputs) || !Number.isSafeInteger(seed)) {
  console.error("usage: npm run fuzz -- [--inputs NUMBER] [--seed NUMBER]");
  process.exit(2);
}

console.log(`${inputs} inputs, seed ${seed}`);
const begin = performance.now();
const failure = await fuzz({
  inputs,
  seed,
  progress: (target, done, of) => {
    if (done === of || done % 50_000 === 0) console.log(`${target}: ${done} of ${of}`);
  },
});
const seconds = ((performance.now() - begin) / 1000).toFixed(1);
if (failure === undefined) console.log(`nothing broke in ${seconds} s`);
else {
  console.error(`${failure.target}: ${failure.reason}\nkept in ${keep(failure)}`);
  process.exitCode = 1;
}
