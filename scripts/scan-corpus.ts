/**
 * Measures how often the scan of definitions reports ordinary tools: `npm run scan:corpus`.
 *
 * The corpus is not part of this project. It is looked for in the folder that WORKBENCH_SHARED names,
 * else in `shared` beside the project. Its servers are distributed over workbenches, because a text
 * that names a tool of another server counts only if both are in the same one.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { ForeignTools, isFinding, scanTexts, textsIn } from "../src/pins/scan/scan.ts";

export interface CorpusTool {
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
}

export interface ScanMeasurement {
  readonly tools: number;
  readonly servers: number;
  /** The tools that are reported, with the reasons. */
  readonly findings: readonly { readonly tool: string; readonly signals: readonly string[] }[];
  /** The tools with a single soft signal, which are not reported. */
  readonly single: number;
}

const project = fileURLToPath(new URL("..", import.meta.url));

/** The corpus; undefined if it is not on this machine. */
export function readCorpus(): readonly CorpusTool[] | undefined {
  const shared = process.env["WORKBENCH_SHARED"] ?? resolve(project, "..", "shared");
  const file = join(shared, "retrieval", "corpus.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as CorpusTool[]) : undefined;
}

/** Scans all tools, with so many servers in each workbench. */
export function measureScan(corpus: readonly CorpusTool[], perWorkbench: number): ScanMeasurement {
  const byServer = new Map<string, CorpusTool[]>();
  for (const tool of corpus)
    byServer.set(tool.server, [...(byServer.get(tool.server) ?? []), tool]);
  // Neighbours in the alphabet are often by the same author; a stride separates them.
  const servers = strided([...byServer.keys()].sort());
  const findings: { tool: string; signals: readonly string[] }[] = [];
  let single = 0;
  for (let start = 0; start < servers.length; start += perWorkbench) {
    const workbench = servers.slice(start, start + perWorkbench);
    for (const server of workbench) {
      const namesOf = (one: string): string[] => (byServer.get(one) ?? []).map(({ name }) => name);
      const others = workbench.filter((other) => other !== server).flatMap(namesOf);
      const foreign = new ForeignTools(namesOf(server), others);
      for (const { name, description, inputSchema } of byServer.get(server) ?? []) {
        const result = scanTexts(textsIn({ name, description, inputSchema }), foreign);
        if (isFinding(result))
          findings.push({ tool: `${server}/${name}`, signals: [...result.hard, ...result.soft] });
        else single += result.soft.length;
      }
    }
  }
  return { tools: corpus.length, servers: servers.length, findings, single };
}

const STRIDE = 97;

function strided(names: readonly string[]): string[] {
  return Array.from({ length: STRIDE }, (_, first) =>
    names.filter((_name, index) => index % STRIDE === first),
  ).flat();
}

const SIZES = [10, 100, 1000];

function main(): void {
  const corpus = readCorpus();
  if (corpus === undefined) {
    console.log("There is no corpus: WORKBENCH_SHARED names no folder with retrieval/corpus.json");
    return;
  }
  console.log("| servers in a workbench | tools | reported | per 1,000 | one signal only |");
  console.log("|---:|---:|---:|---:|---:|");
  for (const size of SIZES) {
    const { tools, findings, single } = measureScan(corpus, size);
    const rate = ((1000 * findings.length) / tools).toFixed(2);
    console.log(`| ${size} | ${tools} | ${findings.length} | ${rate} | ${single} |`);
    for (const { tool, signals } of findings) console.error(`  ${tool}: ${signals.join("; ")}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
