import type { Command } from "../core/command.ts";
import { CONFIG } from "../core/common-options.ts";

/** The row of `trust`. */
export const TRUST: Command = {
  name: "trust",
  summary: "Trust a project's configuration",
  usage: ["trust --config FILE [--yes]"],
  details:
    "A workbench-config.json in the current directory is used only after you trust it, because its author decides which programs it runs. This command shows the programs it would start, the addresses it would connect to, and the variables and secrets it reads, then asks you. Your answer applies to this file with this content: after a change you are asked again. The programs themselves, such as scripts in the project, are not part of that content.",
  takes: [0, 0],
  options: [
    { ...CONFIG, summary: "The configuration to trust" },
    { name: "yes", short: "y", summary: "Do not ask; required without a terminal" },
  ],
  examples: [
    { command: "trust --config ./workbench-config.json", explanation: "Review it, then decide" },
  ],
  json: [
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
  load: async () => (await import("./setup-bundle.ts")).trust,
};
