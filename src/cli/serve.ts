import type { Writable } from "node:stream";

import { loadConfig } from "../config/load.ts";
import { EXIT, workbenchError } from "../errors.ts";
import { serveStdio } from "../serve/stdio.ts";
import { followConfig } from "../workbench/reload.ts";
import { Workbench } from "../workbench/workbench.ts";
import { parseArguments } from "./arguments.ts";
import { endSignal } from "./end-signal.ts";
import { viewOf } from "./view.ts";

/** `mcp-workbench serve`: one MCP server, on standard input and output or over HTTP. */
export async function serve(args: readonly string[]): Promise<number> {
  const { values } = parseServeArgs(args);
  if (values.http !== undefined) {
    const { serveOverHttp } = await import("./serve-http.ts");
    return serveOverHttp(values.http, values);
  }
  for (const option of ["no-auth", "token-env", "allow-host"] as const)
    if (values[option] !== undefined)
      throw workbenchError("USAGE", { reason: `--${option} belongs to --http` });
  const settings = await loadConfig({ file: values.config });
  const workbench = new Workbench(settings);
  for (const warning of settings.warnings) workbench.host.log.warn(warning);
  const view = viewOf(workbench, values.toolbox, values.server);
  const signalled = endSignal(workbench);
  const served = serveStdio(workbench, view);
  const unfollow = followConfig(workbench);
  // The client waits for its first answer; being found by others can wait for that.
  setImmediate(() => void makeKnown(workbench));
  await Promise.race([served, signalled]);
  unfollow();
  await workbench.close();
  await written(process.stdout);
  // Standard input may still be open; there is nothing left to wait for.
  process.exit(EXIT.ok);
}

async function makeKnown(workbench: Workbench): Promise<void> {
  const { announce, statusOf } = await import("../workbench/presence.ts");
  announce(workbench, () => statusOf(workbench, 1));
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
      http: { type: "string" },
      "no-auth": { type: "boolean" },
      "token-env": { type: "string" },
      "allow-host": { type: "string", multiple: true },
    },
    strict: true,
  });
}
