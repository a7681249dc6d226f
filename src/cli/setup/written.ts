import type { Context } from "../command.ts";
import { placeOf, shortPath } from "./machine.ts";

/** Says that a file was changed; to a script it gives the path as the result. */
export function tellWritten(
  context: Pick<Context, "out" | "env">,
  file: string,
  told = `Wrote ${shortPath(file, placeOf(context))}`,
): void {
  const { out } = context;
  out.say(`${out.noteStyle.green("✓")} ${told}`);
  // Somebody at a terminal has just read it.
  if (!out.isTerminal) out.print(file);
}
