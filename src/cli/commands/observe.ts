import type { Command } from "../core/command.ts";
import { CONFIG } from "../core/common-options.ts";
import { AUDIT } from "./audit.ts";
import { DASHBOARD } from "./dashboard.ts";

/** Commands that show what is running and what it costs. */
export const OBSERVE_COMMANDS: readonly Command[] = [
  {
    name: "status",
    summary: "Show the running workbenches and their servers",
    usage: ["status [--watch]"],
    details:
      "Shows every workbench that runs as your user, including those that clients started. For each server: state, process, restarts, last error, tools, calls and latency.",
    takes: [0, 0],
    options: [
      { name: "watch", short: "w", summary: "Update the status every second until Ctrl-C" },
    ],
    examples: [
      { command: "status --watch", explanation: "See what your agent is using right now" },
      { command: "status --json", explanation: "For scripts" },
    ],
    json: [
      ["version, pid, uptimeMs, config, configProblem, sessions", "one object for each workbench"],
      [
        "toolboxes",
        "`name`, `open`, `servers` (`name`, `state`, `pid`, `restarts`, `lastError`, `lastErrorCode`, `stderrTail`, `processes`, `tools`, `auth`, `calls`, `errors`, `latency`)",
      ],
      [
        "toolboxes[].servers[].auth",
        "the sign-in of a remote server, null if it has none: `kind`, `state` (`signed-in`, `needs-login`, `needs-scope`, `refused` or `unreachable`), `account`, `issuer`, `scope`, `expiresAt`, `refreshable`, `login` (the command), `reason`",
      ],
    ],
    load: async () => (await import("./observe-bundle.ts")).status,
  },
  {
    name: "stop",
    summary: "Stop the workbench that clients share",
    usage: ["stop", "stop --all"],
    details:
      "Ends the process that `serve --shared` started for a configuration, of any version, with its servers. Calls in progress may be answered first. The next call of a client starts it again.",
    takes: [0, 0],
    options: [CONFIG, { name: "all", summary: "Stop those of all configurations" }],
    examples: [{ command: "stop", explanation: "After changing what a server reads at its start" }],
    json: [
      ["stopped", "`pid`, `config` and `version` of each process that has ended"],
      ["silent", "the same of those that do not respond"],
    ],
    load: async () => (await import("./observe-bundle.ts")).stop,
  },
  {
    name: "logs",
    summary: "Show the log and the error output of servers",
    usage: ["logs [--follow] [TOOLBOX/SERVER]"],
    details:
      'Shows the last lines of the log file, if the configuration has one ("log": { "file": … }), and the last lines that the servers of running workbenches wrote to standard error. With TOOLBOX/SERVER, or the name of a server, only its lines. Secrets are redacted.',
    takes: [0, 1],
    completes: "server",
    options: [
      CONFIG,
      { name: "follow", short: "f", summary: "Continue with new lines until Ctrl-C" },
      {
        name: "lines",
        short: "n",
        value: "N",
        summary: "Number of lines of the log file (default 50)",
      },
    ],
    examples: [
      { command: "logs", explanation: "What happened last" },
      { command: "logs -f dev/filesystem", explanation: "Watch one server" },
    ],
    json: [
      ["file", "the log file, or null"],
      ["lines", "its last lines"],
      [
        "servers",
        "of running workbenches, one for each process of a server: `pid` (of the workbench), `toolbox`, `server`, `process` (null if none runs), `state`, `lastError`, `stderr`",
      ],
    ],
    load: async () => (await import("./observe-bundle.ts")).logs,
  },
  AUDIT,
  DASHBOARD,
  {
    name: "tokens",
    summary: "Show the token cost with and without the workbench",
    usage: ["tokens", "tokens --used"],
    details:
      'Without options, what the tools cost at the start, when they are opened and when they are found. With --used, what clients saved in real use, by client and toolbox, if the configuration has "countTokens": true.',
    takes: [0, 0],
    options: [
      CONFIG,
      { name: "used", summary: "Show what was saved in real use, and what discovery cost" },
    ],
    examples: [
      {
        command: "tokens",
        explanation: "At start, when opening, when searching, and when connected directly",
      },
      { command: "tokens --used", explanation: "What your clients saved since counting began" },
    ],
    json: [
      ["start, direct, search", "tokens of all toolboxes"],
      ["toolboxes", "the same for each toolbox and server"],
      ["counting", "how tokens are counted"],
      [
        "since, total, entries",
        "of `--used`: the first day, and for each client (`kind` is `client`, `token`, `user`, or `others` for all beyond 500) and toolbox `start`, `search`, `results`, `scripts`, `discovery` and `saved`; the toolbox is null for what belongs to no single one",
      ],
      ["damagedFile", "of `--used`: the file with earlier counts that were damaged, or null"],
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
