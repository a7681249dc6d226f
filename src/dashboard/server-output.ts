import type { Server } from "../servers/server.ts";

/** The last lines that all processes of a server wrote to standard error; if none runs, those of the last one. */
export function serverOutput({ connections }: Server): readonly string[] {
  const { outputs, stderrTail } = connections.observed;
  return outputs.length === 0 ? stderrTail : outputs.flatMap((output) => output.stderrTail);
}
