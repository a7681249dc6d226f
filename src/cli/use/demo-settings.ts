import { existsSync, realpathSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { loadConfig } from "../../config/load.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";

/** Runs something with the configuration of the demo, in a temporary folder of its own. */
export async function withDemoSettings<T>(
  context: Pick<Context, "env">,
  work: (settings: WorkbenchSettings) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "mcp-workbench-demo-"));
  try {
    return await work(await demoSettings(context, join(folder, "memory.jsonl")));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const CONFIG = "examples/demo/workbench-config.json";

/** The program is in `dist`, or in `src/cli` when it runs from its sources. */
async function demoSettings(
  { env }: Pick<Context, "env">,
  memoryFile: string,
): Promise<WorkbenchSettings> {
  const program = dirname(realpathSync(process.argv[1] ?? "."));
  const roots = [join(program, ".."), join(program, "../..")];
  const root = roots.find((folder) => existsSync(join(folder, CONFIG)));
  const servers = join(root ?? "", "node_modules/@modelcontextprotocol/server-everything");
  if (root === undefined || !existsSync(servers)) {
    const reason = "The demonstration needs the servers that are installed with the repository";
    const hint =
      "Clone it and run 'npm ci'. To try a server of your own: mcp-workbench list -- COMMAND";
    throw workbenchError("USAGE", { reason }, hint);
  }
  return loadConfig({ file: join(root, CONFIG), env: { ...env, DEMO_MEMORY_FILE: memoryFile } });
}
