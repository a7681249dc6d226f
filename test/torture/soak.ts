/**
 * Many clients, over stdio and HTTP, call the built program while its servers are killed, frozen and
 * exchanged, hang and flood it:
 *
 *   npm run soak -- --minutes 10 --seed 7
 *
 * The exit code is not 0 if an answer was wrong, missing, late or one too many, if a process was
 * left, or if memory, open files or processes went on growing (what that means is in
 * `soak/series.ts`).
 */
import { parseArgs } from "node:util";
import { soak } from "./soak/run.ts";
import { tableOf } from "./soak/table.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  console.error("usage: npm run soak -- [--minutes NUMBER] [--seed NUMBER]");
  process.exit(2);
}

console.log(`${minutes} minutes, seed ${seed}`);
const report = await soak({
  ms: minutes * 60_000,
  seed,
  progress: (calls, restMs) =>
    console.log(`${calls} calls, ${Math.max(0, restMs / 60_000).toFixed(1)} minutes to go`),
});
console.log(`\n${tableOf(report)}`);
if (report.problems.length > 0) process.exitCode = 1;
