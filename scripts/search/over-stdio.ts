/** How long `search_tools` takes over stdio: the built program, with the tools in ten servers. */

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { LineClient } from "../tokens/line-client.ts";

const PROGRAM = fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));
const SERVER = fileURLToPath(new URL("corpus-server.mjs", import.meta.url));
const SERVERS = 10;
const MAX_WAIT_MS = 120_000;
const WARM_UP = 20;

interface CorpusTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}

/** The milliseconds of each query, once in every run. */
export async function timesOverStdio(
  tools: readonly CorpusTool[],
  queries: readonly string[],
  runs: number,
): Promise<number[]> {
  if (!existsSync(PROGRAM)) throw new Error("Build the program first: npm run build");
  const folder = mkdtempSync(join(tmpdir(), "workbench-search-"));
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env as Record<string, string>;
  const client = new LineClient({
    command: process.execPath,
    args: [PROGRAM, "serve", "--config", configFile(folder, tools)],
    env: { ...env, XDG_STATE_HOME: folder, XDG_CACHE_HOME: folder, HOME: folder },
    cwd: folder,
  });
  try {
    await client.initialize();
    const search = (query: string): Promise<string> => client.call("search_tools", { query });
    await untilIndexed(search, queries[0] ?? "file");
    for (const query of queries.slice(0, WARM_UP)) await search(query);
    const times: number[] = [];
    for (let run = 0; run < runs; run++)
      for (const query of queries) {
        const start = performance.now();
        await search(query);
        times.push(performance.now() - start);
      }
    return times;
  } finally {
    await client.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function configFile(folder: string, tools: readonly CorpusTool[]): string {
  const servers: Record<string, object> = {};
  for (let i = 0; i < SERVERS; i++) {
    const own = tools.filter((_, at) => at % SERVERS === i);
    const file = join(folder, `tools-${i}.json`);
    // Tools of different servers of the corpus may have the same name.
    const listed = own.map(({ name, description, inputSchema }, at) => ({
      name: `${name}_${at}`,
      description,
      inputSchema: { type: "object", ...inputSchema },
    }));
    writeFileSync(file, JSON.stringify(listed));
    servers[`s${i}`] = { command: process.execPath, args: [SERVER, file] };
  }
  const file = join(folder, "workbench.json");
  writeFileSync(
    file,
    JSON.stringify({ toolboxes: { all: { description: "Tools", mcpServers: servers } } }),
  );
  return file;
}

/** Searches until no answer says that something has not been searched yet. */
async function untilIndexed(
  search: (query: string) => Promise<string>,
  query: string,
): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  while ((await search(query)).includes("Not searched"))
    if (performance.now() > deadline) throw new Error("the servers were not indexed in time");
}
