import { WorkbenchError, reasonOf } from "../../errors.ts";
import { UnfinishedLoad } from "../../scripts/script-failure.ts";
import { plainCode } from "./plain-code.ts";
import { type SavedScript, scriptDefinition } from "./script-definition.ts";
import { type ScriptFile, readScripts, watchScripts } from "./script-files.ts";
import type { LoadedScripts, ScriptSource } from "./scripts-channel.ts";

/** Evaluates a module in the sandbox, without tools; returns its exports as JSON. */
export type Describe = (code: string, file: ScriptFile) => Promise<string>;

/** How often a script is evaluated that does not end in time. */
const MAX_ATTEMPTS = 3;

/** Reads the clock, or something else that is different each time. */
const CHANGING = /\b(?:Date|random)\b/;
/** Precedes a script, which is then evaluated at another time. */
const LATER = `{ const Now = Date, laterMs = 34_567_891_011; globalThis.Date = class Date extends Now {
  constructor(...given) { if (given.length > 0) super(...given); else super(Now.now() + laterMs); }
  static now() { return Now.now() + laterMs; }
} };`;

/** A script that was evaluated. */
interface Evaluated {
  readonly script: Promise<SavedScript>;
  readonly attempts: number;
}

/** The scripts of a folder. What they say about themselves is evaluated in the sandbox, never here. */
export class SavedScripts implements ScriptSource {
  readonly #folder: string;
  readonly #describe: Describe;
  readonly #maxBytes: () => number;
  /** By their source, so that only a changed script is evaluated again. */
  #known = new Map<string, Evaluated>();

  constructor(folder: string, describe: Describe, maxBytes: () => number) {
    this.#folder = folder;
    this.#describe = describe;
    this.#maxBytes = maxBytes;
  }

  async read(): Promise<LoadedScripts> {
    const { scripts: files, problems: unread } = readScripts(this.#folder, this.#maxBytes());
    const problems = [...unread];
    const known = new Map<string, Evaluated>();
    const scripts = new Map<string, SavedScript>();
    for (const file of [...files.values()].flat()) {
      const used = scripts.get(file.name);
      if (used !== undefined) {
        problems.push(`${file.file}: ${used.file} has the same name and is used`);
        continue;
      }
      const key = `${file.file}\n${file.source}`;
      const evaluated = await this.#evaluated(key, file);
      known.set(key, evaluated);
      try {
        scripts.set(file.name, await evaluated.script);
      } catch (error) {
        problems.push(`${file.file}: ${reasonOf(error)}`);
      }
    }
    this.#known = known;
    return { scripts: new Map([...scripts].sort(([a], [b]) => (a < b ? -1 : 1))), problems };
  }

  watch(onChange: () => void, onLost: () => void): () => void {
    return watchScripts(this.#folder, onChange, onLost);
  }

  /** A script whose file is the same is evaluated again only if the machine may have been busy. */
  async #evaluated(key: string, file: ScriptFile): Promise<Evaluated> {
    const before = this.#known.get(key);
    if (before !== undefined && (before.attempts >= MAX_ATTEMPTS || !(await isUnfinished(before))))
      return before;
    return { script: this.#load(file), attempts: (before?.attempts ?? 0) + 1 };
  }

  async #load(file: ScriptFile): Promise<SavedScript> {
    const code = await plainCode(file);
    const described = await this.#describe(code, file);
    const definition = scriptDefinition(file, described);
    if (CHANGING.test(file.source)) await this.#requireConstant(code, file, described);
    return { ...file, code, definition };
  }

  /** A definition that changes with the time would never match its pin. */
  async #requireConstant(code: string, file: ScriptFile, described: string): Promise<void> {
    const later = await this.#describe(LATER.replaceAll("\n", "") + code, file).catch(() => "");
    if (later !== described)
      throw new Error(
        "its description, input and annotations must be constant, without the time or random numbers",
      );
  }
}

/** Whether a script had no time, or no thread. */
function isUnfinished({ script }: Evaluated): Promise<boolean> {
  return script.then(
    () => false,
    (error: unknown) => error instanceof UnfinishedLoad || error instanceof WorkbenchError,
  );
}
