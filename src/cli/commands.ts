import { EXIT } from "../errors.ts";

export async function runCommand(
  command: string | undefined,
  _args: readonly string[],
): Promise<number> {
  process.stderr.write(`mcp-workbench: unknown command '${command}'\n`);
  return EXIT.usage;
}
