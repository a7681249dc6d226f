import { type ParseArgsConfig, parseArgs } from "node:util";

import { reasonOf, workbenchError } from "../errors.ts";

/** `parseArgs` whose refusals are told as mistakes of the user, not of the program. */
export function parseArguments<T extends ParseArgsConfig>(
  config: T,
): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw workbenchError("USAGE", { reason: reasonOf(error) }, "See mcp-workbench --help", error);
  }
}
