import type { Command } from "../core/command.ts";
import { OBSERVE_COMMANDS } from "./observe.ts";
import { SETUP_COMMANDS } from "./setup.ts";
import { USE_COMMANDS } from "./use.ts";

/** Every command, in the order of the help text. */
export const COMMANDS: readonly Command[] = [
  ...SETUP_COMMANDS,
  ...USE_COMMANDS,
  ...OBSERVE_COMMANDS,
];

export function findCommand(name: string): Command | undefined {
  return COMMANDS.find((command) => command.name === name);
}
