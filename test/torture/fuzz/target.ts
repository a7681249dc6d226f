import { fileURLToPath } from "node:url";
import type { Disposables } from "../../support/disposables.ts";
import { type Config, type ServerEntry, toolbox } from "../../support/servers.ts";
import { type Place, prepareWorkbench } from "../../support/workbench.ts";
import { chaos } from "../chaos.ts";
import type { Program } from "../program.ts";

/** A running program that takes damaged input. Throws a `Violation` when it breaks a rule. */
export interface Target {
  feed(inputs: readonly Buffer[]): Promise<void>;
  /** Ends the program normally. */
  stop(): Promise<void>;
}

export type TargetName = "client-lines" | "server-lines" | "http-bodies";

/** What a client may write at once; far above what is ever fed. */
export const MAX_LINE_BYTES = 1_048_576;

/**
 * Lines of servers above 16 KB are relayed without being read, so that a large answer costs no
 * time; their content is the server's responsibility. Longer ones are refused here.
 */
const MAX_SERVER_LINE_BYTES = 16_384;

const FUZZ_SERVER: ServerEntry = {
  command: process.execPath,
  args: [fileURLToPath(new URL("../../fixtures/fuzz-server.mjs", import.meta.url))],
  limits: { messageBytes: MAX_SERVER_LINE_BYTES },
};

/** Time-outs are far away, so that they do not hide failures. */
const CONFIG: Config = {
  timeouts: { connectMs: 20_000, callMs: 60_000, totalMs: 60_000, shutdownMs: 2000 },
  limits: { messageBytes: MAX_LINE_BYTES, queue: 10_000 },
  // Its own session must not end while the next inputs are made.
  http: { sessionIdleMs: 600_000, bodyBytes: MAX_LINE_BYTES },
  toolboxes: { dev: toolbox({ fuzzed: FUZZ_SERVER }), calm: toolbox({ other: chaos() }) },
};

/** A place for a separate program, with these arguments before the path of the configuration. */
export function fuzzPlace(
  disposables: Disposables,
  { file }: Program,
  args: readonly string[] = ["serve"],
): Place {
  const place = prepareWorkbench(disposables, CONFIG, { program: file });
  return { ...place, args: [file, ...args, "--config", place.configFile] };
}

export const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: "greeting",
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "fuzzer", version: "1.0.0" },
  },
});
