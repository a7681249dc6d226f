import { existsSync, realpathSync } from "node:fs";

import { type Launch, type View, launchOf, starterFor } from "../../clients/entry.ts";
import type { RemoteWorkbench } from "../../clients/remote-entry.ts";

/** A configuration that the client serves itself, or a workbench that runs elsewhere. */
export type WantedWorkbench = { readonly config: string; readonly view?: View } | RemoteWorkbench;

/** How a client reaches the workbench. */
export function launchFor(workbench: WantedWorkbench): Launch {
  if ("url" in workbench) return workbench;
  const starter = starterFor(process.execPath, thisProgram());
  return launchOf(starter, workbench.config, workbench.view);
}

// --- internal ---

/** The real path of this program: npx and npm start it through links. */
function thisProgram(): string {
  const [, script = ""] = process.argv;
  return existsSync(script) ? realpathSync(script) : script;
}
