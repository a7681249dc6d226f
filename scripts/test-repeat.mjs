// Runs a test suite again and again, each time with another seed and another order of files, and
// reports every failure with the seed that repeats it.
//
//   npm run test:repeat -- --times 10            npm test, on the machine as it is
//   npm run test:repeat -- --times 5 --load      next to a job that keeps every core busy
//   npm run test:repeat -- --times 3 --full      npm run test:full
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const MAX_TIMES = 100;
const { values } = parseArgs({
  options: {
    times: { type: "string", default: "10" },
    load: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const times = Number(values.times);
if (!Number.isInteger(times) || times < 1 || times > MAX_TIMES)
  throw new Error(`--times takes a number from 1 to ${MAX_TIMES}`);

const suite = values.full ? "test:full" : "test";
const folder = mkdtempSync(join(tmpdir(), "mcp-workbench-repeat-"));
const BUSY =
  "const parent = process.ppid; while (process.ppid === parent) for (let i = 0; i < 1e9; i++);";
const load = values.load
  ? Array.from({ length: availableParallelism() }, () =>
      spawn(process.execPath, ["-e", BUSY], { stdio: "ignore" }),
    )
  : [];

let failures = 0;
try {
  for (let round = 0; round < times; round++) failures += runOnce(round);
} finally {
  for (const child of load) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  `npm run ${suite}, ${times} times${values.load ? " with every core busy" : ""}: ${failures} failures`,
);
process.exitCode = failures === 0 ? 0 : 1;

/** Runs the suite with a seed of its own; returns how many tests failed, at least 1 if it did. */
function runOnce(round) {
  const seed = String(Number(values.seed) + round);
  const report = join(folder, `${round}.json`);
  const started = Date.now();
  const { status, stdout, stderr } = spawnSync(
    "npm",
    ["run", suite, "--", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    {
      env: { ...process.env, TEST_SEED: seed, TEST_SHUFFLE: "1" },
      encoding: "utf8",
      maxBuffer: 2 ** 30,
    },
  );
  const seconds = Math.round((Date.now() - started) / 1000);
  if (status === 0) {
    console.log(`${round + 1}/${times} passed in ${seconds} s, TEST_SEED=${seed}`);
    return 0;
  }
  const failed = failedTests(report);
  console.log(`${round + 1}/${times} FAILED in ${seconds} s, TEST_SEED=${seed}`);
  for (const { name, message } of failed) console.log(`  ${name}\n    ${message}`);
  // What failed before any test ran, or is not about one test, is only in the output.
  console.log(`${stdout}\n${stderr}`.slice(-30_000));
  return Math.max(1, failed.length);
}

function failedTests(report) {
  try {
    const { testResults } = JSON.parse(readFileSync(report, "utf8"));
    return testResults.flatMap(({ name: file, message, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === "failed");
      if (failed.length === 0 && message) return [{ name: file, message: firstLine(message) }];
      return failed.map(({ fullName, failureMessages }) => ({
        name: `${file} > ${fullName}`,
        message: firstLine(failureMessages[0] ?? ""),
      }));
    });
  } catch {
    return [];
  }
}

function firstLine(message) {
  return message.split("\n", 1)[0];
}
