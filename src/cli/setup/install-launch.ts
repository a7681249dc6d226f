import { existsSync, realpathSync } from "node:fs";

import { type Launch, type Served, commandOf, launchOf, starterFor } from "../../clients/entry.ts";
import type { RemoteWorkbench } from "../../clients/remote-entry.ts";
import { shellWords } from "../../text/shell-words.ts";

/** A configuration that the client serves itself, or a workbench that runs elsewhere. */
export type WantedWorkbench = Served | RemoteWorkbench;

/** How a client reaches the workbench. */
export function launchFor(workbench: WantedWorkbench): Launch {
  if ("url" in workbench) return workbench;
  const starter = starterFor(process.execPath, thisProgram());
  return launchOf(starter, workbench);
}

/** The command line of a hook that asks what the policy of a configuration says, for a shell. */
export function hookCommand(config: string, name: string): string {
  const words = ["decide", "--hook", "claude-code", "--name", name, "--config", config];
  const line = commandOf(starterFor(process.execPath, thisProgram()), words);
  return process.platform === "win32"
    ? line.map((word) => (/[^\w@:./\\-]/.test(word) ? `"${word}"` : word)).join(" ")
    : shellWords(line);
}

/** The real path of this program: npx and npm start it through links. */
function thisProgram(): string {
  const [, script = ""] = process.argv;
  return existsSync(script) ? realpathSync(script) : script;
}
