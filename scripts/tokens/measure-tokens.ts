/** What real servers cost an agent, counted with a real tokenizer. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

import { type Launch, LineClient } from "./line-client.ts";
import { REAL_SERVERS, type RealServer, TOOLBOXES } from "./real-servers.ts";

export interface DirectCost {
  readonly server: RealServer;
  readonly tools: number;
  readonly tokens: number;
}

export interface RealCosts {
  readonly direct: readonly DirectCost[];
  readonly start: number;
  /** What the answers to QUERIES cost, ascending. */
  readonly searches: readonly number[];
  readonly schema: number;
  /** Opening the toolbox with the most tools. */
  readonly open: {
    readonly tools: number;
    readonly names: number;
    readonly signatures: number;
    readonly full: number;
  };
}

const PROGRAM = fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));
/** What users ask for; each of these servers can answer one of them. */
const QUERIES = [
  "create an issue",
  "commit the staged changes",
  "why did the build fail",
  "documentation of a library",
  "take a screenshot of a page",
  "network requests of the page",
  "crawl a website",
  "add a page to the wiki",
  "send a message to a channel",
  "find a customer",
  "read a text file",
  "remember a fact",
  "errors in production",
  "list pods",
];

/** Measures everything; installs the packages unless a folder has them already. */
export async function measureTokens(installed: string | undefined): Promise<RealCosts> {
  const folder = mkdtempSync(join(tmpdir(), "mcp-workbench-tokens-"));
  try {
    const packages = installed ?? install(join(folder, "packages"));
    const home = join(folder, "home");
    mkdirSync(home);
    const direct: DirectCost[] = [];
    for (const server of REAL_SERVERS)
      direct.push(await measureDirect(server, launchOf(server, packages, home)));
    return { direct, ...(await measureWorkbench(packages, home, direct)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function install(folder: string): string {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), "{}");
  const packages = REAL_SERVERS.map(({ package: name, version }) => `${name}@${version}`);
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...packages], {
    cwd: folder,
    stdio: "inherit",
  });
  return folder;
}

/** How the server is started: its program, as its package declares it. */
function launchOf(server: RealServer, packages: string, home: string): Launch {
  const folder = join(packages, "node_modules", server.package);
  const { bin, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    bin: string | Record<string, string>;
    version: string;
  };
  if (version !== server.version) throw new Error(`${server.package} is ${version}`);
  const program = typeof bin === "string" ? bin : (bin[server.bin ?? ""] ?? Object.values(bin)[0]);
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, ...server.env };
  const args = [join(folder, program ?? ""), ...(server.args ?? [])];
  return { command: process.execPath, args, env, cwd: home };
}

/** What a client without a workbench loads: the instructions and the tool list. */
async function atStart(client: LineClient): Promise<{ tools: number; tokens: number }> {
  const instructions = await client.initialize();
  const tools = await client.tools();
  // Clients keep `_meta` to themselves.
  const seen = tools.map((tool) => ({ ...tool, _meta: undefined }));
  const tokens = countTokens(instructions) + countTokens(JSON.stringify(seen));
  return { tools: tools.length, tokens };
}

async function measureDirect(server: RealServer, launch: Launch): Promise<DirectCost> {
  const client = new LineClient(launch);
  try {
    return { server, ...(await atStart(client)) };
  } finally {
    await client.close();
  }
}

async function measureWorkbench(
  packages: string,
  home: string,
  direct: readonly DirectCost[],
): Promise<Omit<RealCosts, "direct">> {
  const config = join(home, "workbench-config.json");
  writeFileSync(config, JSON.stringify({ toolboxes: toolboxes(packages, home) }));
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  // Everything is known afterwards, so searches find all tools.
  execFileSync(process.execPath, [PROGRAM, "refresh", "--config", config], {
    env,
    stdio: "ignore",
  });
  const args = [PROGRAM, "serve", "--config", config];
  const client = new LineClient({ command: process.execPath, args, env, cwd: home });
  try {
    const { tokens: start } = await atStart(client);
    const searches: number[] = [];
    for (const query of QUERIES)
      searches.push(countTokens(await client.call("search_tools", { query })));
    const one = { query: "create_issue", limit: 1, detail: "schema" };
    const schema = countTokens(await client.call("search_tools", one));
    const toolbox = largest(direct);
    const opened = async (detail: string): Promise<number> =>
      countTokens(await client.call("open_toolbox", { toolbox, detail }));
    const open = {
      tools: sum(
        direct.filter(({ server }) => server.toolbox === toolbox).map(({ tools }) => tools),
      ),
      names: await opened("names"),
      signatures: await opened("signatures"),
      full: await opened("full"),
    };
    return { start, searches: searches.toSorted((a, b) => a - b), schema, open };
  } finally {
    await client.close();
  }
}

function toolboxes(packages: string, home: string): object {
  const entries = Object.entries(TOOLBOXES).map(([toolbox, description]) => {
    const servers = REAL_SERVERS.filter((server) => server.toolbox === toolbox);
    const mcpServers = servers.map((server) => {
      const { command, args } = launchOf(server, packages, home);
      return [server.name, { command, args, cwd: home, env: server.env ?? {} }] as const;
    });
    return [toolbox, { description, mcpServers: Object.fromEntries(mcpServers) }] as const;
  });
  return Object.fromEntries(entries);
}

function largest(direct: readonly DirectCost[]): string {
  const counts = Object.keys(TOOLBOXES).map((toolbox) => {
    const own = direct.filter(({ server }) => server.toolbox === toolbox);
    return { toolbox, tools: sum(own.map(({ tools }) => tools)) };
  });
  return counts.toSorted((a, b) => b.tools - a.tools)[0]?.toolbox ?? "";
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
