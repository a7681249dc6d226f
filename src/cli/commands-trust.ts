import type { Command } from "./command.ts";
import { CONFIG } from "./common-options.ts";

/** The row of `trust`. */
export const TRUST: Command = {
  name: "trust",
  summary: "Agree to what a configuration of a project runs",
  usage: ["trust --config FILE [--yes]"],
  details:
    "A workbench-config.json found in the current directory is used only after you trust it, because its author decides what it runs. Shows the programs it would start, the addresses it would connect to and the variables it reads, and asks. Your answer is remembered for this file with this content: after a change you are asked again. The programs themselves, such as scripts of the project, are not part of that content.",
  takes: [0, 0],
  options: [
    { ...CONFIG, summary: "The configuration to trust" },
    { name: "yes", short: "y", summary: "Do not ask; needed where there is no terminal" },
  ],
  examples: [
    { command: "trust --config ./workbench-config.json", explanation: "Look, and decide" },
  ],
  json: [
    ["file", "its real path"],
    ["sha256", "of its content"],
    ["trusted", "whether it is trusted now"],
    ["changed", "whether it was not trusted before"],
    [
      "servers",
      "`toolbox`, `server`, `disabled`, `command` (a list of words), `url`, `cwd`, `env`, `headers`",
    ],
    ["variables", "the names of the variables it reads"],
    ["logFile", "the log that it writes, or null"],
  ],
  load: async () => (await import("./setup.ts")).trust,
};
