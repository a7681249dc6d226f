import { workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { readInput } from "../core/read-input.ts";
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
    : (await readInput(process.stdin, 2 * MAX_BYTES))?.replace(/\r?\n$/, "");
  const problem = problemOf(value);
  if (value !== undefined && problem === undefined) return value;
  throw workbenchError("USAGE", { reason: `The value of ${name} ${problem}` }, HINT);
}

const HINT =
  "Type it when asked, or pass it on standard input: mcp-workbench secret set NAME < FILE";

/** The problem with a value; undefined stands for a value that was not read because of its size. */
function problemOf(value: string | undefined): string | undefined {
  if (value === undefined || Buffer.byteLength(value) > MAX_BYTES)
    return `is larger than ${MAX_BYTES / 1024} KB`;
  if (value === "") return "is empty";
  return value.includes("\0") ? "contains a NUL character" : undefined;
}
