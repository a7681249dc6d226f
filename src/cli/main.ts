import { EXIT, isWorkbenchError, reasonOf } from "../errors.ts";
import { VERSION } from "../version.ts";
import { serve } from "./serve.ts";

/**
 * The program: finds the command and ends with its exit code. Serving over stdio is loaded with the
 * program, because clients wait for it; every other command is loaded when it is used.
 */
async function main(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  if (command === undefined && !process.stdin.isTTY) return serve([]);
  if (command === "serve") return serve(rest);
  if (command === "--version" || command === "-v") {
    process.stdout.write(`${VERSION}\n`);
    return EXIT.ok;
  }
  const { runCommand } = await import("./commands.ts");
  return runCommand(command, rest);
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`mcp-workbench: ${reasonOf(error)}\n`);
    process.exitCode = isWorkbenchError(error) ? error.exitCode : EXIT.unexpected;
  },
);
