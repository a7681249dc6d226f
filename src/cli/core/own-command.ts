import { shellWords } from "../../text/shell-words.ts";
import type { Context } from "./command.ts";

/** The beginning of a command line to suggest: it uses the configuration that this command uses. */
export function ownCommand({ args }: Pick<Context, "args">): string {
  const config = args.text("config");
  return shellWords(["mcp-workbench", ...(config === undefined ? [] : ["--config", config])]);
}
