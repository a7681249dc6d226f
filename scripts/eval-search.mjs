#!/usr/bin/env node
/**
 * Measures how well and how fast `search_tools` finds tools, and prints the table of docs/search.md.
 *
 * The corpus and its queries are not part of this project. They are looked for in the folder that
 * WORKBENCH_SHARED names, else in `shared` beside the project. Options are passed on to the
 * evaluation: `npm run eval:search -- --split heldout`.
 */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const shared = process.env.WORKBENCH_SHARED ?? path.resolve(project, "..", "shared");
const evaluation = path.join(shared, "retrieval", "evaluate.mjs");
const adapter = path.join(project, "scripts", "search-adapter.mjs");
const sizes = ["500", "3000", "10000", "all"];

if (!existsSync(evaluation)) {
  console.log(
    `Skipped: no evaluation data at ${evaluation}. Set WORKBENCH_SHARED to the folder that holds retrieval/evaluate.mjs.`,
  );
  process.exit(0);
}

/** One process for each size, so that no measurement sees the heap of the one before. */
function measure(size) {
  const args = ["--expose-gc", "--import", "tsx", evaluation, adapter, "--size", size, "--json"];
  const output = execFileSync(process.execPath, [...args, ...process.argv.slice(2)], {
    cwd: project,
    encoding: "utf8",
    maxBuffer: 16 * 1024 * 1024,
  });
  return JSON.parse(output);
}

const share = (value) => value.toFixed(3);
const header = [
  ["tools", "recall@5 MACRO", "recall@5 ALL", "MRR MACRO", "MRR ALL"],
  ["p50 ms", "p95 ms", "build ms", "memory MB"],
].flat();
console.log(`| ${header.join(" | ")} |`);
console.log(`|${header.map(() => "---:|").join("")}`);
for (const size of sizes) {
  const { tools, p50, p95, buildMs, heapIdxMB, metrics } = measure(size);
  const { MACRO, ALL } = metrics;
  const quality = [MACRO.r5, ALL.r5, MACRO.mrr, ALL.mrr].map(share);
  const cost = [p50.toFixed(2), p95.toFixed(2), buildMs, heapIdxMB];
  console.log(`| ${[tools, ...quality, ...cost].join(" | ")} |`);
}
