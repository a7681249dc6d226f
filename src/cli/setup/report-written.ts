import { realPathOf } from "../../files/real-path.ts";
import { visible } from "../../text/visible.ts";
import type { Context } from "../core/command.ts";
import { hostInfo, shortPath } from "../core/host-info.ts";

/** Reports that a file was changed; for scripts, the path is the result. */
export function reportWritten(
  context: Pick<Context, "out" | "env">,
  file: string,
  text = `Wrote ${shortPath(file, hostInfo(context))}`,
): void {
  const { out } = context;
  out.say(`${out.noteStyle.green("✓")} ${visible(text)}`);
  // In a terminal the line above is enough.
  if (!out.isTerminal) out.print(file);
}

/** Shows the real path of a file that is about to be changed through a symbolic link. */
export function reportRealPath(context: Pick<Context, "out" | "env">, file: string): void {
  const host = hostInfo(context);
  let real = file;
  try {
    real = realPathOf(file);
  } catch {
    // Writing the file will report the problem.
  }
  if (real === file) return;
  context.out.say(
    `${visible(shortPath(file, host))} is a link to ${visible(shortPath(real, host))}`,
  );
}
