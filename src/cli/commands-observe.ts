import type { Command } from "./command.ts";
import { CONFIG } from "./common-options.ts";

/** Commands that look at what is running and at what it costs. */
export const OBSERVE_COMMANDS: readonly Command[] = [
  {
    name: "status",
    summary: "Show the running workbenches and their servers",
    usage: ["status"],
    details:
      "Finds every workbench of this user, also those that clients have started: state, process, restarts, last error, tools, calls and latencies of each server.",
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
    load: async () => (await import("./observe.ts")).status,
  },
  {
    name: "tokens",
    summary: "Show what an agent pays, with and without the workbench",
    usage: ["tokens"],
    takes: [0, 0],
    options: [CONFIG],
    examples: [{ command: "tokens", explanation: "At start, on opening, on search, and directly" }],
    json: [
      ["start, direct, search", "tokens of all toolboxes"],
      ["toolboxes", "the same for each toolbox and server"],
      ["counting", "how tokens are counted"],
    ],
    load: async () => (await import("./observe.ts")).tokens,
  },
  {
    name: "refresh",
    summary: "Connect all servers and remember what they offer",
    usage: ["refresh"],
    details: "Search and lists answer from what is remembered, before any server is started.",
    takes: [0, 0],
    options: [CONFIG],
    examples: [{ command: "refresh", explanation: "After an update of a server" }],
    json: [["servers", "`toolbox`, `server`, `tools`, `changed`, `reason`"]],
    load: async () => (await import("./observe.ts")).refresh,
  },
];
