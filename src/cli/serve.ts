import { parseArgs } from "node:util";

import { loadConfig } from "../config/load.ts";
import { EXIT, isWorkbenchError, workbenchError } from "../errors.ts";
import { serveStdio } from "../serve/stdio.ts";
import { Workbench, findToolbox, type Scope } from "../workbench/workbench.ts";

/** `mcp-workbench serve`: one MCP server on standard input and output. */
export async function serve(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { config: { type: "string" }, toolbox: { type: "string", multiple: true } },
    strict: true,
  });
  const settings = await loadConfig({ file: values.config });
  for (const warning of settings.warnings) process.stderr.write(`mcp-workbench: ${warning}\n`);
  const workbench = new Workbench(settings);
  const scope = scopeOf(workbench, values.toolbox);
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, resolve);
  });
  await Promise.race([serveStdio(workbench, scope), signalled]);
  await workbench.close();
  // Standard input may still be open; there is nothing left to wait for.
  process.exit(EXIT.ok);
}

function scopeOf(workbench: Workbench, names: readonly string[] | undefined): Scope {
  if (names === undefined) return workbench.toolboxes;
  return new Map(
    names.map((name) => {
      const toolbox = findToolbox(workbench.toolboxes, name);
      if (isWorkbenchError(toolbox)) throw workbenchError("USAGE", { reason: toolbox.text });
      return [name, toolbox];
    }),
  );
}
