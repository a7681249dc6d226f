import type { Writable } from "node:stream";

import { loadConfig } from "../config/load.ts";
import { EXIT, isWorkbenchError, workbenchError } from "../errors.ts";
import { parseArguments } from "./arguments.ts";
import type { View } from "../serve/front.ts";
import { serveStdio } from "../serve/stdio.ts";
import { findServer, findToolbox } from "../workbench/find.ts";
import { announce } from "../workbench/presence.ts";
import { followConfig } from "../workbench/reload.ts";
import { statusOf } from "../workbench/status.ts";
import { Workbench } from "../workbench/workbench.ts";

/** `mcp-workbench serve`: one MCP server on standard input and output. */
export async function serve(args: readonly string[]): Promise<number> {
  const { values } = parseServeArgs(args);
  const settings = await loadConfig({ file: values.config });
  const workbench = new Workbench(settings);
  for (const warning of settings.warnings) workbench.host.log.warn(warning);
  const view = viewOf(workbench, values.toolbox, values.server);
  const signalled = endSignal(workbench);
  const served = serveStdio(workbench, view);
  const unfollow = followConfig(workbench);
  // The client waits for its first answer; being found by others can wait for that.
  setImmediate(() => announce(workbench, () => statusOf(workbench, 1)));
  await Promise.race([served, signalled]);
  unfollow();
  await workbench.close();
  await written(process.stdout);
  // Standard input may still be open; there is nothing left to wait for.
  process.exit(EXIT.ok);
}

const END_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Resolves at the first signal; a later one ends all servers and the program at once. */
function endSignal(workbench: Workbench): Promise<void> {
  process.once("exit", () => workbench.kill());
  return new Promise((resolve) => {
    let asked = false;
    const end = (): void => {
      if (asked || workbench.closing) process.exit(EXIT.ok);
      asked = true;
      resolve();
    };
    for (const signal of END_SIGNALS) process.on(signal, end);
  });
}

/** Resolves when the reader has taken what was written, or is gone. */
function written(stream: Writable): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once("drain", resolve);
    stream.once("close", resolve);
    setTimeout(resolve, LAST_WORDS_MS);
  });
}

const LAST_WORDS_MS = 500;

function parseServeArgs(args: readonly string[]) {
  return parseArguments({
    args: [...args],
    options: {
      config: { type: "string" },
      toolbox: { type: "string", multiple: true },
      server: { type: "string" },
    },
    strict: true,
  });
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
  for (const name of toolboxes) orUsage(findToolbox(all, name));
  return { scope: workbench.scope(toolboxes) };
}

function orUsage<T>(found: T): Exclude<T, Error> {
  if (isWorkbenchError(found)) throw workbenchError("USAGE", { reason: found.text });
  return found as Exclude<T, Error>;
}
