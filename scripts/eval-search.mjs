#!/usr/bin/env node
/**
 * Measures how well, how fast and at what price `search_tools` finds tools, and prints the tables of
 * docs/search.md.
 *
 * The corpus and its queries are not part of this project. They are looked for in the folder that
 * WORKBENCH_SHARED names, else in `shared` beside the project. Run it as `npm run eval:search`;
 * `npm run eval:search -- --split heldout` takes other queries, if the folder has them.
 */

import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import { countTokens } from "gpt-tokenizer";

import { answer, index, init } from "./search-adapter.mjs";

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const shared = process.env.WORKBENCH_SHARED ?? path.resolve(project, "..", "shared");
const given = path.join(shared, "retrieval", "evaluate.mjs");
// The evaluation recognises by its path that it was started as a program; that path is the real one.
const evaluation = existsSync(given) ? realpathSync(given) : given;
const adapter = path.join(project, "scripts", "search-adapter.mjs");
const SIZES = ["500", "3000", "10000", "all"];

/** One process for each size, so that no measurement sees the heap of the one before. */
function measure(size, split) {
  const node = ["--expose-gc", "--import", "tsx", evaluation, adapter];
  const output = execFileSync(
    process.execPath,
    [...node, "--size", size, "--split", split, "--json"],
    { cwd: project, encoding: "utf8", maxBuffer: 16 * 1024 * 1024 },
  );
  return JSON.parse(output);
}

function printTable(header, rows) {
  console.log(`| ${header.join(" | ")} |`);
  console.log(`|${header.map(() => "---:|").join("")}`);
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
}

function qualityRow({ tools, p50, p95, buildMs, heapIdxMB, metrics: { MACRO, ALL } }) {
  const quality = [MACRO.r5, ALL.r5, MACRO.mrr, ALL.mrr].map((value) => value.toFixed(3));
  return [tools, ...quality, p50.toFixed(2), p95.toFixed(2), buildMs, heapIdxMB];
}

function tokenRow({ tools, queries }) {
  index(tools);
  const tokens = queries.map(({ query }) => countTokens(answer(query))).sort((a, b) => a - b);
  const percentile = (share) => tokens[Math.floor((tokens.length - 1) * share)];
  return [tools.length, percentile(0.5), percentile(0.95), percentile(1)];
}

const { split } = parseArgs({ options: { split: { type: "string", default: "dev" } } }).values;
if (existsSync(evaluation)) {
  await init();
  const { load } = await import(pathToFileURL(evaluation).href);
  const columns = ["recall@5 MACRO", "recall@5 ALL", "MRR MACRO", "MRR ALL"];
  const costs = ["p50 ms", "p95 ms", "build ms", "memory MB"];
  printTable(
    ["tools", ...columns, ...costs],
    SIZES.map((size) => qualityRow(measure(size, split))),
  );
  console.log("\nTokens (o200k) of an answer with five hits:\n");
  printTable(
    ["tools", "p50", "p95", "max"],
    SIZES.map((size) => tokenRow(load({ size, split }))),
  );
} else {
  console.log(
    `Skipped: no evaluation data at ${evaluation}. Set WORKBENCH_SHARED to the folder that holds retrieval/evaluate.mjs.`,
  );
}
