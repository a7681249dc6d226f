import * as z from "zod";

const count = (max: number) => z.int().min(1).max(max);

/** The setting `scripts`. */
export const scriptsSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .optional()
      .describe("Whether agents get `run_script`. If left out: over stdio, but not over HTTP."),
    memoryMb: z.int().min(4).max(1024).default(64).describe("Memory of a script, in megabytes."),
    cpuMs: count(600_000)
      .default(5_000)
      .describe(
        "How long a script may compute, in milliseconds by the clock; waiting for calls does not count.",
      ),
    totalMs: count(86_400_000)
      .default(120_000)
      .describe(
        "How long a script may take in all, in milliseconds; waiting for answers of the user does not count.",
      ),
    calls: count(1_000_000).default(1_000).describe("Calls of tools in one script."),
    parallel: count(1_000).default(16).describe("Calls of one script at the same time."),
    outputChars: count(100_000_000)
      .default(20_000)
      .describe("Longer output of a script is truncated, with a note that says so."),
    sourceBytes: count(8_388_608).default(65_536).describe("Largest script."),
  })
  .describe("Sandboxed scripts that call tools (`run_script`).");
