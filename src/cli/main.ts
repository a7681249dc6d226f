import { EXIT, isWorkbenchError, reasonOf } from "../errors.ts";
import { VERSION } from "../version.ts";
import { serve } from "./serve.ts";

/**
 * The program: finds the command and ends with its exit code. Serving over stdio is loaded with the
 * program, because clients wait for it; every other command is loaded when it is used.
 */
async function main(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  if (command === "--version" || command === "-v") {
    process.stdout.write(`${VERSION}\n`);
    return EXIT.ok;
  }
  const wantsHelp = argv.includes("--help") || argv.includes("-h");
  if (command === "serve" && !wantsHelp) return serve(rest);
  // What a client starts without a command is meant to be served.
  const isBare = command === undefined || command.startsWith("-");
  if (isBare && !wantsHelp && !process.stdin.isTTY) return serve(argv);
  const { runCommand } = await import("./run.ts");
  return isBare ? runCommand(undefined, argv) : runCommand(command, rest);
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
