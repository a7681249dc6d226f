#!/usr/bin/env node
/**
 * Measures how well, how fast and at what price `search_tools` finds tools, and prints the tables of
 * docs/search.md.
 *
 * The corpus and its queries are not part of this project. They are looked for in the folder that
 * WORKBENCH_SHARED names, else in `shared` beside the project. Run it as `npm run eval:search`;
 * `npm run eval:search -- --split heldout` takes other queries, if the folder has them,
 * `npm run eval:search -- --words` searches without the table of word vectors, and
 * `npm run eval:search -- --stdio` only measures how long `search_tools` takes over stdio.
 */

import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import { countTokens } from "gpt-tokenizer";

import { answer, index, init, WORDS_ONLY } from "./search-adapter.mjs";
import { timesOverStdio } from "./search/over-stdio.ts";

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const shared = process.env.WORKBENCH_SHARED ?? path.resolve(project, "..", "shared");
const given = path.join(shared, "retrieval", "evaluate.mjs");
// The evaluation recognises by its path that it was started as a program; that path is the real one.
const evaluation = existsSync(given) ? realpathSync(given) : given;
const adapter = path.join(project, "scripts", "search-adapter.mjs");
const SIZES = ["500", "3000", "10000", "all"];
const STDIO_SIZES = ["500", "3000", "10000"];
const RUNS = 5;

/** One process for each size, so that no measurement sees the heap of the one before. */
function measure(size, split, words) {
  const node = ["--expose-gc", "--import", "tsx", evaluation, adapter];
  const output = execFileSync(
    process.execPath,
    [...node, "--size", size, "--split", split, "--json"],
    {
      cwd: project,
      encoding: "utf8",
      maxBuffer: 16 * 1024 * 1024,
      env: { ...process.env, ...(words && { [WORDS_ONLY]: "1" }) },
    },
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

/** recall@5 of each set of queries. */
function setRow({ tools, metrics }, names) {
  return [tools, ...names.map((name) => metrics[name]?.r5.toFixed(3) ?? "")];
}

/** The milliseconds of the fastest of some runs, which other programs have disturbed least. */
function fastest(run) {
  return Math.min(...Array.from({ length: RUNS }, () => milliseconds(run)));
}

function milliseconds(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

function percentiles(values, shares) {
  const sorted = values.toSorted((a, b) => a - b);
  return shares.map((share) => sorted[Math.floor((sorted.length - 1) * share)]);
}

function answerRow({ tools, queries }) {
  index(tools);
  const tokens = queries.map(({ query }) => countTokens(answer(query)));
  const once = queries.map(({ query }) => milliseconds(() => answer(query)));
  const times = queries.map(({ query }) => fastest(() => answer(query)));
  return [
    tools.length,
    ...percentiles(tokens, [0.5, 0.95, 1]),
    ...percentiles(times, [0.5, 0.95]).map((ms) => ms.toFixed(2)),
    ...percentiles(once, [0.5, 0.95]).map((ms) => ms.toFixed(2)),
  ];
}

async function stdioRow({ tools, queries }) {
  const texts = queries.map(({ query }) => query);
  const times = await timesOverStdio(tools, texts, RUNS);
  return [tools.length, ...percentiles(times, [0.5, 0.95, 1]).map((ms) => ms.toFixed(2))];
}

async function measureStdio(load, split) {
  const rows = [];
  for (const size of STDIO_SIZES) rows.push(await stdioRow(load({ size, split })));
  console.log(`search_tools over stdio, ${RUNS} runs of each query, ms:\n`);
  printTable(["tools", "p50", "p95", "max"], rows);
}

const { split, words, stdio } = parseArgs({
  options: {
    split: { type: "string", default: "dev" },
    words: { type: "boolean", default: false },
    stdio: { type: "boolean", default: false },
  },
}).values;
if (existsSync(evaluation)) {
  const { load } = await import(pathToFileURL(evaluation).href);
  if (stdio) await measureStdio(load, split);
  else await measureAll(load);
} else {
  console.log(
    `Skipped: no evaluation data at ${evaluation}. Set WORKBENCH_SHARED to the folder that holds retrieval/evaluate.mjs.`,
  );
}

async function measureAll(load) {
  if (!words) await init();
  const columns = ["recall@5 MACRO", "recall@5 ALL", "MRR MACRO", "MRR ALL"];
  const costs = ["p50 ms", "p95 ms", "build ms", "memory MB"];
  const results = SIZES.map((size) => measure(size, split, words));
  printTable(["tools", ...columns, ...costs], results.map(qualityRow));
  const names = Object.keys(results.at(-1).metrics).filter((set) => !/^(?:ALL|MACRO)$/.test(set));
  console.log("\nrecall@5 by set of queries:\n");
  printTable(
    ["tools", ...names],
    results.map((result) => setRow(result, names)),
  );
  console.log(
    `\nAn answer with five hits: tokens (o200k), and ms (the fastest of ${RUNS} runs, and once):\n`,
  );
  printTable(
    ["tools", "tokens p50", "p95", "max", "ms p50", "p95", "once p50", "p95"],
    SIZES.map((size) => answerRow(load({ size, split }))),
  );
}
