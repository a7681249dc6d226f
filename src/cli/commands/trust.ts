import type { Command } from "../core/command.ts";
import { CONFIG } from "../core/common-options.ts";

/** The row of `trust`. */
export const TRUST: Command = {
  name: "trust",
  summary: "Accept changed tool definitions, or trust a project's configuration",
  usage: ["trust TOOLBOX/SERVER[/TOOL] [--yes]", "trust --config FILE [--yes]"],
  details:
    "With a server: shows how its definitions differ from workbench-lock.json, asks, and records them as approved; running workbenches use them at once. Without one: a workbench-config.json in the current directory is used only after you trust it, because its author decides which programs it runs. This command shows the programs it would start, the addresses it would connect to, and the variables and secrets it reads, then asks you. Your answer applies to this file with this content: after a change you are asked again. The programs themselves, such as scripts in the project, are not part of that content.",
  takes: [0, 1],
  completes: "server",
  options: [
    { ...CONFIG, summary: "The configuration to trust, or the one that has the server" },
    { name: "yes", short: "y", summary: "Do not ask; required without a terminal" },
  ],
  examples: [
    { command: "trust dev/github", explanation: "Accept what a server defines now" },
    { command: "trust dev/github/create_issue", explanation: "Only one tool" },
    { command: "trust --config ./workbench-config.json", explanation: "Review it, then decide" },
  ],
  json: [
    ["server, tool, changed, differences", "with a server: the differences that were accepted"],
    ["file", "its real path"],
    ["sha256", "of its content"],
    ["trusted", "whether it is trusted now"],
    ["changed", "whether it was not trusted before"],
    [
      "servers",
      "`toolbox`, `server`, `disabled`, `command` (a list of words), `url`, `cwd`, `envFile`, `env`, `headers`",
    ],
    ["variables", "the names of the variables it reads"],
    ["envFiles", "the files it takes them from, before the environment"],
    ["secretCommands", "the programs it runs to get secrets, by name"],
    ["secretFiles", "the files whose content servers get as secrets"],
    ["keychain", "the names of secrets that servers get from the keychain"],
    ["logFile", "the log file it writes, or null"],
  ],
  finishesUnread: true,
  load: async () => (await import("./pins-bundle.ts")).trust,
};
