import { realPathOf } from "../../files/real-path.ts";
import { visible } from "../../text/visible.ts";
import type { Context } from "../command.ts";
import { hostInfo, shortPath } from "./machine.ts";

/** Says that a file was changed; to a script it gives the path as the result. */
export function reportWritten(
  context: Pick<Context, "out" | "env">,
  file: string,
  told = `Wrote ${shortPath(file, hostInfo(context))}`,
): void {
  const { out } = context;
  out.say(`${out.noteStyle.green("✓")} ${told}`);
  // A user at a terminal has just read it.
  if (!out.isTerminal) out.print(file);
}

/** Says where a file really is that is about to be changed by way of a symbolic link. */
export function reportRealPath(context: Pick<Context, "out" | "env">, file: string): void {
  const host = hostInfo(context);
  let real = file;
  try {
    real = realPathOf(file);
  } catch {
    // What is wrong with it is told by whoever writes it.
  }
  if (real === file) return;
  context.out.say(`${visible(shortPath(file, host))} is really ${visible(shortPath(real, host))}`);
}
