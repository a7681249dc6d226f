/** What tasks cost an agent, call by call and as a script, counted with a real tokenizer. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

import { replaceBetweenMarkers } from "../artifact.ts";
import { LineClient } from "./line-client.ts";
import { SCRIPT_TASKS, type ScriptTask } from "./script-tasks.ts";

export interface TaskCost {
  readonly task: ScriptTask;
  readonly calls: number;
  /** What the model writes and reads with one call after the other. */
  readonly direct: number;
  /** The same with a script. */
  readonly script: number;
}

const PROGRAM = fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));
const MODULES = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/", import.meta.url),
);
const BEGIN = "<!-- Written by `npm run tokens:scripts -- --write`. Do not edit. -->";

/** Does every task twice, each time with new data. Both ways must have the same answer. */
export async function measureScripts(): Promise<readonly TaskCost[]> {
  const folder = mkdtempSync(join(tmpdir(), "mcp-workbench-tasks-"));
  try {
    const direct = await inWorkbench(join(folder, "direct"), async (client) => {
      const costs: { calls: number; tokens: number; answer: unknown }[] = [];
      for (const task of SCRIPT_TASKS) costs.push(await callByCall(client, task));
      return costs;
    });
    const scripts = await inWorkbench(join(folder, "script"), async (client) => {
      const costs: { tokens: number; answer: string }[] = [];
      for (const task of SCRIPT_TASKS) costs.push(await asScript(client, task));
      return costs;
    });
    return SCRIPT_TASKS.map((task, i) => {
      const { calls = 0, tokens = 0, answer } = direct[i] ?? {};
      const { tokens: script = 0, answer: returned = "" } = scripts[i] ?? {};
      if (!isDeepStrictEqual(typeof answer === "string" ? returned : JSON.parse(returned), answer))
        throw new Error(`${task.title}: ${returned} is not ${JSON.stringify(answer)}`);
      return { task, calls, direct: tokens, script };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function scriptTable(costs: readonly TaskCost[]): string {
  const rows = costs.map(
    ({ task, calls, direct, script }) =>
      `| ${task.title} | ${task.servers} | ${calls} | ${count(direct)} | ${count(script)} |`,
  );
  return [
    "| task | servers | calls | tokens, call by call | tokens, script |",
    "| --- | --- | ---: | ---: | ---: |",
    ...rows,
  ].join("\n");
}

/** docs/scripts.md with these costs. */
export function withScriptTable(page: string, costs: readonly TaskCost[]): string {
  return replaceBetweenMarkers(page, BEGIN, scriptTable(costs));
}

const count = (value: number): string => value.toLocaleString("en-US");

/** What a model writes and reads: the arguments of a call as JSON, and the text of its result. */
async function callByCall(
  client: LineClient,
  task: ScriptTask,
): Promise<{ calls: number; tokens: number; answer: unknown }> {
  let calls = 0;
  let tokens = 0;
  const answer = await task.direct(async (path, input) => {
    const [server = "", name = ""] = path.split("/");
    // Without a workbench, a call has only the name of the tool.
    tokens += countTokens(JSON.stringify({ name, arguments: input }));
    const tool = { toolbox: "work", server, name };
    const text = await client.call("use_tool", { tool, arguments: input });
    tokens += countTokens(text);
    calls++;
    return text;
  });
  return { calls, tokens, answer };
}

async function asScript(
  client: LineClient,
  { script }: ScriptTask,
): Promise<{ tokens: number; answer: string }> {
  const input = { name: "run_script", arguments: { script } };
  const answer = await client.call("run_script", { script });
  return { tokens: countTokens(JSON.stringify(input)) + countTokens(answer), answer };
}

async function inWorkbench<T>(
  folder: string,
  work: (client: LineClient) => Promise<T>,
): Promise<T> {
  const data = join(folder, "data");
  const home = join(folder, "home");
  for (const path of [data, home]) mkdirSync(path, { recursive: true });
  for (const task of SCRIPT_TASKS) task.prepare(data);
  const server = (name: string, ...args: string[]): object => ({
    command: process.execPath,
    args: [join(MODULES, `server-${name}/dist/index.js`), ...args],
    cwd: data,
    env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
  });
  const mcpServers = {
    filesystem: server("filesystem", data),
    memory: server("memory"),
    everything: server("everything"),
  };
  const config = join(folder, "workbench-config.json");
  const toolboxes = { work: { description: "Files, notes and more", mcpServers } };
  // Results are compared as the servers send them.
  writeFileSync(config, JSON.stringify({ toolboxes, results: { limit: "off" } }));
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  const args = [PROGRAM, "serve", "--config", config];
  const client = new LineClient({ command: process.execPath, args, env, cwd: home });
  try {
    await client.initialize();
    return await work(client);
  } finally {
    await client.close();
  }
}
