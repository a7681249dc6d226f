import type { Outcome } from "../calls/outcome.ts";
import type { StoredResults } from "../calls/stored-results.ts";
import { scriptAnswer } from "./script-answer.ts";
import { ScriptRun, type ScriptRunOptions, type SuspendedScript } from "./script-run.ts";
import { ThreadPool } from "./thread-pool.ts";
import { workerFile } from "./worker-file.ts";

export interface RunOptions extends Omit<ScriptRunOptions, "results"> {
  readonly results: StoredResults | undefined;
  /** A script to continue; `source` is its source. */
  readonly suspended?: SuspendedScript | undefined;
  /** Gets the run, for questions to the user. */
  readonly onStarted?: ((run: ScriptRun) => void) | undefined;
}

/** Results that a script names, such as `results.r7` and `results["r7"]`. */
const NAMED_RESULT = /\bresults\s*(?:\?\.|\.|\[\s*["'`])\s*(r\w{1,64})/g;
const MAX_NAMED_RESULTS = 16;

/** Runs scripts. Loaded with the first of them. */
export class Scripts {
  readonly #pool = new ThreadPool(workerFile);

  async run(options: RunOptions): Promise<Outcome> {
    const { source, settings, results } = options;
    const named = results === undefined ? {} : await namedResults(source, results);
    const run = new ScriptRun(this.#pool, { ...options, results: named });
    options.onStarted?.(run);
    const report = await run.run(options.suspended);
    return scriptAnswer(report, source, settings, async (text) => results?.store(text));
  }

  /** Ends all threads. */
  close(): void {
    this.#pool.close();
  }
}

/** The results that the script names, because it cannot wait for one when it reads it. */
async function namedResults(
  source: string,
  results: StoredResults,
): Promise<Record<string, string>> {
  const ids = new Set(Array.from(source.matchAll(NAMED_RESULT), ([, id]) => id ?? ""));
  const named: Record<string, string> = {};
  for (const id of [...ids].slice(0, MAX_NAMED_RESULTS)) {
    const text = await results.read(id);
    if (text !== undefined) named[id] = text;
  }
  return named;
}
