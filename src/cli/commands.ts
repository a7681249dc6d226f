import { EXIT } from "../errors.ts";

export async function runCommand(
  command: string | undefined,
  _args: readonly string[],
): Promise<number> {
  if (command === "status") return (await import("./status.ts")).status(_args);
  if (command === "refresh") return (await import("./refresh.ts")).refreshCommand(_args);
  if (command === "tokens") return (await import("./tokens.ts")).tokensCommand(_args);
  process.stderr.write(`mcp-workbench: unknown command '${command}'\n`);
  return EXIT.usage;
}
