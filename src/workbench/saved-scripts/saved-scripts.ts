import { reasonOf } from "../../errors.ts";
import type { SavedScript } from "./script-definition.ts";
import { scriptDefinition } from "./script-definition.ts";
import { type ScriptFile, readScripts, watchScripts } from "./script-files.ts";
import { DESCRIBE, RUN, moduleBody } from "./script-module.ts";
import type { LoadedScripts, ScriptSource } from "./scripts-channel.ts";

/** Evaluates the body of a function in the sandbox, without tools; returns its value. */
export type Evaluate = (body: string) => Promise<string>;

/** The scripts of a folder. What they say about themselves is evaluated in the sandbox, never here. */
export class SavedScripts implements ScriptSource {
  readonly #folder: string;
  readonly #evaluate: Evaluate;
  /** By their source, so that only a changed script is evaluated again. */
  #known = new Map<string, Promise<SavedScript>>();

  constructor(folder: string, evaluate: Evaluate) {
    this.#folder = folder;
    this.#evaluate = evaluate;
  }

  async read(): Promise<LoadedScripts> {
    const { scripts: files, problems: unread } = readScripts(this.#folder);
    const problems = [...unread];
    const known = new Map<string, Promise<SavedScript>>();
    const scripts = new Map<string, SavedScript>();
    for (const file of files) {
      const key = `${file.name}\n${file.source}`;
      const saved = this.#known.get(key) ?? this.#describe(file);
      known.set(key, saved);
      try {
        scripts.set(file.name, await saved);
      } catch (error) {
        problems.push(`${file.file}: ${reasonOf(error)}`);
      }
    }
    this.#known = known;
    return { scripts, problems };
  }

  watch(onChange: () => void, onLost: () => void): () => void {
    return watchScripts(this.#folder, onChange, onLost);
  }

  async #describe(file: ScriptFile): Promise<SavedScript> {
    const body = await moduleBody(file.source);
    const definition = scriptDefinition(file, await this.#evaluate(body + DESCRIBE));
    return { name: file.name, body: body + RUN, definition };
  }
}
