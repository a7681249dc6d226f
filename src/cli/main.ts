import { EXIT, isWorkbenchError, reasonOf } from "../errors.ts";
import { VERSION } from "../version.ts";
import { safeText } from "../text/safe-text.ts";
import { serve } from "./serve/serve.ts";

/**
 * The program: runs the command and exits with its code. Serving over stdio is part of the main
 * bundle, because clients wait for it; every other command is loaded on demand.
 */
async function main(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  if (command === "--version" || command === "-v") {
    process.stdout.write(`${VERSION}\n`);
    return EXIT.ok;
  }
  const wantsHelp = argv.includes("--help") || argv.includes("-h");
  if (command === "serve" && !wantsHelp) return serve(rest);
  // A client that starts the program without a command expects a server.
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
    process.stderr.write(`mcp-workbench: ${safeText(reasonOf(error))}\n`);
    process.exitCode = isWorkbenchError(error) ? error.exitCode : EXIT.unexpected;
  },
);
