import { parseArgs } from "node:util";

import { loadConfig } from "../config/load.ts";
import { EXIT, isWorkbenchError, workbenchError } from "../errors.ts";
import type { View } from "../serve/front.ts";
import { serveStdio } from "../serve/stdio.ts";
import { Workbench, findServer, findToolbox } from "../workbench/workbench.ts";

/** `mcp-workbench serve`: one MCP server on standard input and output. */
export async function serve(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      config: { type: "string" },
      toolbox: { type: "string", multiple: true },
      server: { type: "string" },
    },
    strict: true,
  });
  const settings = await loadConfig({ file: values.config });
  for (const warning of settings.warnings) process.stderr.write(`mcp-workbench: ${warning}\n`);
  const workbench = new Workbench(settings);
  const view = viewOf(workbench, values.toolbox, values.server);
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, resolve);
  });
  await Promise.race([serveStdio(workbench, view), signalled]);
  await workbench.close();
  // Standard input may still be open; there is nothing left to wait for.
  process.exit(EXIT.ok);
}

/** What is served: all toolboxes, some of them, or one server as it is. */
function viewOf(
  workbench: Workbench,
  toolboxes: readonly string[] | undefined,
  server: string | undefined,
): View {
  const { toolboxes: all } = workbench;
  if (server !== undefined) {
    const [toolbox = "", name = ""] = server.split("/");
    return { scope: all, server: orUsage(findServer(all, { toolbox, server: name })) };
  }
  if (toolboxes === undefined) return { scope: all };
  return { scope: new Map(toolboxes.map((name) => [name, orUsage(findToolbox(all, name))])) };
}

function orUsage<T>(found: T): Exclude<T, Error> {
  if (isWorkbenchError(found)) throw workbenchError("USAGE", { reason: found.text });
  return found as Exclude<T, Error>;
}
