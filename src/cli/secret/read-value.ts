import type { Readable } from "node:stream";

import { workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { askHidden } from "../output/hidden-prompt.ts";

const MAX_BYTES = 64 * 1024;

/** The value of a secret: typed without being shown, or all of standard input without its last line break. */
export async function readValue(
  { out, signal }: Pick<Context, "out" | "signal">,
  name: string,
): Promise<string> {
  // Also with --json: what is typed into a terminal must not be shown.
  const value = process.stdin.isTTY
    ? await askHidden(`Value of ${name} (not shown): `, out, signal)
    : await readAll(process.stdin);
  const problem = problemOf(value);
  if (problem === undefined) return value;
  throw workbenchError("USAGE", { reason: `The value of ${name} ${problem}` }, HINT);
}

// --- internal ---

const HINT =
  "Type it when asked, or pass it on standard input: mcp-workbench secret set NAME < FILE";

function problemOf(value: string): string | undefined {
  if (value === "") return "is empty";
  if (value.includes("\0")) return "contains a NUL character";
  return Buffer.byteLength(value) > MAX_BYTES ? `is larger than ${MAX_BYTES / 1024} KB` : undefined;
}

async function readAll(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > 2 * MAX_BYTES) break;
  }
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}
