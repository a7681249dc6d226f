/**
 * Loaded into the program before it starts, with `--expose-gc`: on SIGUSR2 it collects garbage and
 * records how much memory remains in use.
 */
const { renameSync, writeFileSync } = require("node:fs");

const file = process.env.SOAK_HEAP_FILE;
let samples = 0;
process.on("SIGUSR2", () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(`${file}.new`, JSON.stringify({ sample: ++samples, bytes: heapUsed + external }));
  renameSync(`${file}.new`, file);
});
