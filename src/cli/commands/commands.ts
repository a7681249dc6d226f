import type { Command } from "../core/command.ts";
import { APPROVAL_COMMANDS } from "./approvals.ts";
import { OBSERVE_COMMANDS } from "./observe.ts";
import { REVIEW_COMMANDS } from "./review.ts";
import { SETUP_COMMANDS } from "./setup.ts";
import { SIGN_IN_COMMANDS } from "./sign-in.ts";
import { SHARE_COMMANDS } from "./token.ts";
import { USE_COMMANDS } from "./use.ts";

/** The commands by purpose, as the help text shows them. */
export const COMMAND_GROUPS: readonly {
  readonly title: string;
  readonly commands: readonly Command[];
}[] = [
  {
    title: "Set up",
    commands: SETUP_COMMANDS.map((command) => ({ ...command, finishesUnread: true })),
  },
  { title: "Sign in", commands: SIGN_IN_COMMANDS },
  { title: "Review", commands: REVIEW_COMMANDS },
  { title: "Use", commands: USE_COMMANDS },
  { title: "Share", commands: SHARE_COMMANDS },
  { title: "Approve", commands: APPROVAL_COMMANDS },
  { title: "Observe", commands: OBSERVE_COMMANDS },
];

/** Every command, in the order of the help text. */
export const COMMANDS: readonly Command[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);

export function findCommand(name: string): Command | undefined {
  return COMMANDS.find((command) => command.name === name);
}
