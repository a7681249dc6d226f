import { EXIT } from "../errors.ts";

export async function runCommand(
  command: string | undefined,
  _args: readonly string[],
): Promise<number> {
  if (command === "status") return (await import("./status.ts")).status(_args);
  process.stderr.write(`mcp-workbench: unknown command '${command}'\n`);
  return EXIT.usage;
}
