import type { Command } from "../core/command.ts";
import { CONFIG } from "../core/common-options.ts";

/** Commands that show what is running and what it costs. */
export const OBSERVE_COMMANDS: readonly Command[] = [
  {
    name: "status",
    summary: "Show the running workbenches and their servers",
    usage: ["status"],
    details:
      "Shows every workbench that runs as your user, including those that clients started. For each server: state, process, restarts, last error, tools, calls and latency.",
    takes: [0, 0],
    options: [],
    examples: [{ command: "status --json", explanation: "For scripts" }],
    json: [
      ["version, pid, uptimeMs, config, configProblem, sessions", "one object for each workbench"],
      [
        "toolboxes",
        "`name`, `open`, `servers` (`name`, `state`, `pid`, `restarts`, `lastError`, `lastErrorCode`, `stderrTail`, `tools`, `calls`, `errors`, `latency`)",
      ],
    ],
    load: async () => (await import("./observe-bundle.ts")).status,
  },
  {
    name: "tokens",
    summary: "Show the token cost with and without the workbench",
    usage: ["tokens"],
    takes: [0, 0],
    options: [CONFIG],
    examples: [
      {
        command: "tokens",
        explanation: "At start, when opening, when searching, and when connected directly",
      },
    ],
    json: [
      ["start, direct, search", "tokens of all toolboxes"],
      ["toolboxes", "the same for each toolbox and server"],
      ["counting", "how tokens are counted"],
    ],
    load: async () => (await import("./observe-bundle.ts")).tokens,
  },
  {
    name: "refresh",
    summary: "Connect to every server and cache its tool list",
    usage: ["refresh"],
    details: "Search and tool lists are answered from this cache without starting a server.",
    takes: [0, 0],
    options: [CONFIG],
    examples: [{ command: "refresh", explanation: "After updating a server" }],
    json: [["servers", "`toolbox`, `server`, `tools`, `changed`, `reason`"]],
    load: async () => (await import("./observe-bundle.ts")).refresh,
  },
];
