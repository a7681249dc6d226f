import type { Command } from "../core/command.ts";
import { CONFIG } from "../core/common-options.ts";
import { TRUST } from "./trust.ts";

const FAILED = ["failed", "servers that could not be read: `toolbox`, `server`, `reason`"] as const;

/** Commands that approve what servers and configurations contain. */
export const REVIEW_COMMANDS: readonly Command[] = [
  {
    name: "lock",
    summary: "Approve the tool definitions of all servers as they are now",
    usage: ["lock", "lock --check"],
    details:
      "Starts every server and writes the hashes of its tools, prompts, resource templates and instructions, and the version of its package, to workbench-lock.json next to the configuration. Commit this file. A server that cannot be read keeps its entry. With --check, nothing is written: the exit code is 0 if everything is as approved, and 1 if it is not.",
    takes: [0, 0],
    options: [CONFIG, { name: "check", summary: "Only compare, for example in CI" }],
    examples: [
      { command: "lock", explanation: "After you have reviewed your servers" },
      { command: "lock --check", explanation: "In CI: fails if a server has changed" },
    ],
    json: [
      ["file", "the lock file"],
      ["changed", "whether it was changed; with --check, whether servers differ from it"],
      [
        "servers",
        "`server`, and the number of differences by severity: `severe`, `review`, `cosmetic`",
      ],
      FAILED,
    ],
    finishesUnread: true,
    load: async () => (await import("./pins-bundle.ts")).lock,
  },
  {
    name: "diff",
    summary: "Show how servers differ from what you approved",
    usage: ["diff [TOOLBOX[/SERVER]]"],
    details:
      "Starts the servers and compares them with workbench-lock.json. Changes are severe (may be an attack, such as a new address in a description or a tool that now claims to be harmless), review (read it), or cosmetic (titles, white space). Also shows texts that look like instructions to a model. The exit code is 0 if nothing differs, and 1 otherwise.",
    takes: [0, 1],
    completes: "server",
    options: [CONFIG],
    examples: [
      { command: "diff", explanation: "All servers" },
      { command: "diff dev/github", explanation: "One server" },
    ],
    json: [
      ["file", "the lock file"],
      ["same", "whether nothing differs"],
      [
        "servers",
        "`server`, `differences` (`what`, `name`, `change`, `severity`, `reasons`, `before`, `after`)",
      ],
      ["findings", "suspicious texts: `server`, `what`, `name`, `signals`"],
      FAILED,
    ],
    load: async () => (await import("./pins-bundle.ts")).diff,
  },
  TRUST,
];
