import type { ScriptSettings } from "../../config/types.ts";
import type { Scripts } from "../../scripts/scripts.ts";
import type { Channel, ChannelEvents } from "../../servers/transport/channel.ts";
import { type Describe, SavedScripts } from "./saved-scripts.ts";
import { type RunSaved, ScriptsChannel } from "./scripts-channel.ts";

export interface ScriptsHost {
  readonly scripts: Scripts;
  readonly settings: () => ScriptSettings;
  readonly run: RunSaved;
  /** Gets why a script is left out. */
  readonly onProblem: (problem: string) => void;
}

/** Opens the saved scripts in a folder. Rejects if it cannot be read. */
export async function openScripts(
  folder: string,
  { scripts, settings, run, onProblem }: ScriptsHost,
  events: ChannelEvents,
): Promise<Channel> {
  const owner = { principal: "saved-scripts", client: folder };
  const describe: Describe = (code, { file, source }) =>
    scripts.describe({ source, saved: { file, code }, owner, settings: settings() });
  const saved = new SavedScripts(folder, describe, () => settings().sourceBytes);
  return new ScriptsChannel(saved, await saved.read(), { run, onProblem, events });
}
