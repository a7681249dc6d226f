import type { ScriptSettings } from "../config/types.ts";
import type { Scripts } from "../scripts/scripts.ts";
import type { Channel, ChannelEvents } from "../servers/transport/channel.ts";
import type { RunSaved } from "./saved-scripts/scripts-channel.ts";

/** Runs scripts. Everything they need is loaded with the first of them. */
export class LateScripts {
  /** Runs a saved script for a client; set by what serves clients. */
  runSaved: RunSaved | undefined;
  #loading: Promise<Scripts> | undefined;
  #isClosed = false;

  load(): Promise<Scripts> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Opens the saved scripts in a folder. */
  async openSaved(
    folder: string,
    settings: () => ScriptSettings,
    events: ChannelEvents,
    onProblem: (problem: string) => void,
  ): Promise<Channel> {
    const run: RunSaved = (call, script, input) => {
      if (this.runSaved === undefined) throw new Error("there are no clients");
      return this.runSaved(call, script, input);
    };
    const [scripts, { openScripts }] = await Promise.all([
      this.load(),
      import("./saved-scripts/open-scripts.ts"),
    ]);
    return openScripts(folder, { scripts, settings, run, onProblem }, events);
  }

  close(): void {
    this.#isClosed = true;
    void this.#loading?.then((scripts) => scripts.close());
  }

  async #load(): Promise<Scripts> {
    try {
      const { Scripts } = await import("../scripts/scripts.ts");
      const scripts = new Scripts();
      if (this.#isClosed) scripts.close();
      return scripts;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }
}
