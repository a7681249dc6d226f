/** Runs a program to its end; a failed test prints what it wrote. */
import { spawnSync, type SpawnSyncOptions, type SpawnSyncReturns } from "node:child_process";
import { basename } from "node:path";
import { GENEROUS_MS } from "./clients/json-rpc.ts";
import { Transcript } from "./transcript.ts";

export function runProgram(
  command: string,
  args: readonly string[],
  options: Omit<SpawnSyncOptions, "encoding"> = {},
): SpawnSyncReturns<string> {
  const title = [basename(command), ...args].join(" ");
  let log = "";
  const transcript = new Transcript(title, () => log);
  const { input } = options;
  if (typeof input === "string") transcript.sent(input.trimEnd());
  const run = spawnSync(command, args, { timeout: GENEROUS_MS, ...options, encoding: "utf8" });
  // Streams that are not pipes are null, whatever the type says.
  log = (run.stderr as string | null) ?? "(not recorded)";
  transcript.received((run.stdout as string | null)?.trimEnd() ?? "(not recorded)");
  const exit = `exit code ${run.status}, signal ${run.signal}`;
  transcript.note(run.error === undefined ? exit : `${exit}: ${run.error.message}`);
  transcript.close();
  return run;
}
