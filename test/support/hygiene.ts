/** What must hold at the end of every test that starts the program, whatever it was about. */
import { type ProcessInfo, waitFor } from "./proc.ts";
import { type Exit, GENEROUS_MS, type RawClient } from "./raw-client.ts";

/**
 * Traces of an unhandled error. The program logs one line for each event, so a line that begins
 * like an entry of a stack trace is never part of its log.
 */
export const UNHANDLED =
  /UnhandledPromiseRejection|uncaughtException|MaxListenersExceeded|ERR_UNHANDLED|\n\s+at .*(?:\.c?js|node:\S+):\d+|\s+at .*\.cjs:\d+/;

/** Ends the program the way its clients or the system do, and checks what it leaves behind. */
export async function endAndCheck(
  place: { servers(): ProcessInfo[] },
  program: RawClient,
  endedBy: "stdin" | "SIGTERM",
): Promise<Exit> {
  if (endedBy === "SIGTERM") program.kill("SIGTERM");
  const exit = await program.close().catch((error: unknown) => {
    program.kill("SIGKILL");
    throw error;
  });
  const problems: string[] = [];
  const check = (what: string, found: readonly unknown[]): void => {
    if (found.length > 0) problems.push(`${what}: ${JSON.stringify(found)}`);
  };
  check("not JSON-RPC on stdout", program.garbage);
  check("answered twice", program.duplicates);
  check(
    "answered without being asked",
    program.unmatched.filter(({ id }) => id !== null),
  );
  if (endedBy === "SIGTERM") check("messages on stdout", program.lines);
  check("unhandled error on stderr", UNHANDLED.exec(program.stderr) ?? []);
  await waitFor(() => place.servers().length === 0, GENEROUS_MS, "the servers to end").catch(() =>
    check("processes left behind", place.servers()),
  );
  if (problems.length > 0) {
    throw new Error(`${problems.join("\n")}\n--- stderr of the program ---\n${program.stderr}`);
  }
  return exit;
}
