import { EXIT, isWorkbenchError, reasonOf } from "../errors.ts";
import { VERSION } from "../version.ts";
import { safeText } from "../text/safe-text.ts";
import { serve } from "./serve/serve.ts";

/**
 * The program: runs the command and exits with its code. Serving over stdio is part of the main
 * bundle, because clients wait for it; every other command is loaded on demand.
 */
async function main(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = commandFirst(argv);
  if (command !== undefined && VERSION_WORDS.has(command) && rest.length === 0) {
    process.stdout.on("error", ignore).write(`${VERSION}\n`);
    return EXIT.ok;
  }
  const wantsHelp = argv.includes("--help") || argv.includes("-h");
  if (command === "serve" && !wantsHelp) return serve(rest);
  // A client that starts the program without a command expects a server.
  const isBare = command === undefined || command.startsWith("-");
  if (isBare && !wantsHelp && !process.stdin.isTTY) return serve(argv);
  // Started by `serve --shared`, never by users.
  if (command === "__shared") {
    const { runShared } = await import("./serve/shared-process.ts");
    return runShared(rest);
  }
  const { runCommand } = await import("./run.ts");
  return isBare ? runCommand(undefined, argv) : runCommand(command, rest);
}

const VERSION_WORDS = new Set(["--version", "-v", "-V", "version"]);
const ignore = (): void => {};

/** Options that may also be given before the command. All others belong to a command. */
const EARLY_OPTION = /^--(?:json|no-color|config(?:=.*)?)$/s;

/** The arguments with the command in front, as in `list --config FILE` for `--config FILE list`. */
function commandFirst(argv: readonly string[]): readonly string[] {
  let at = 0;
  while (EARLY_OPTION.test(argv[at] ?? "")) at += argv[at] === "--config" ? 2 : 1;
  const command = argv[at];
  if (at === 0 || command === undefined || command.startsWith("-")) return argv;
  return [command, ...argv.slice(0, at), ...argv.slice(at + 1)];
}

/** Only `serve` throws; its errors are read by clients and in logs, or by a person in a terminal. */
async function reportFailure(error: unknown): Promise<number> {
  if (process.stderr.isTTY) {
    const { reportServeError } = await import("./run.ts");
    return reportServeError(error);
  }
  process.stderr.on("error", ignore).write(`mcp-workbench: ${safeText(reasonOf(error))}\n`);
  return isWorkbenchError(error) ? error.exitCode : EXIT.unexpected;
}

main(process.argv.slice(2))
  .catch(reportFailure)
  .then((code) => {
    process.exitCode = code;
  });
