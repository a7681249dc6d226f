import type { Outcome } from "../calls/outcome.ts";
import type { OutputReader, StoredResults, TextLimit } from "../calls/stored-results.ts";
import type { ScriptSettings } from "../config/types.ts";
import type { ScriptOwner } from "./fair-queue.ts";
import { type ShownOutput, scriptAnswer } from "./script-answer.ts";
import { ScriptBudget } from "./script-budget.ts";
import { loadFailure } from "./script-failure.ts";
import {
  MAX_KEPT_CHARS,
  ScriptRun,
  type ScriptRunOptions,
  type SuspendedScript,
} from "./script-run.ts";
import type { SavedCode, ScriptText } from "./script-text.ts";
import { ThreadPool } from "./thread-pool.ts";
import { workerFile } from "./worker-file.ts";

export interface RunOptions extends Omit<ScriptRunOptions, "results" | "budget" | "use"> {
  /** Identifies the scripts that share their limits: those that a call of a client leads to. */
  readonly root: object;
  readonly results: StoredResults | undefined;
  /** By default, an agent. */
  readonly reader?: OutputReader | undefined;
  /** The limit of the client, besides that of scripts. */
  readonly textLimit?: TextLimit | undefined;
  /** A script to continue. */
  readonly suspended?: SuspendedScript | undefined;
  /** Gets the run, for questions to the user. */
  readonly onStarted?: ((run: ScriptRun) => void) | undefined;
}

interface DescribeOptions extends ScriptText {
  readonly saved: SavedCode;
  readonly owner: ScriptOwner;
  readonly settings: ScriptSettings;
}

/** What a script may use to describe itself. */
const DESCRIBING = { memoryMb: 16, cpuMs: 2000, totalMs: 10_000 };

/** A result that a script names as such, as `results.r7`, and a word that may be one, as in `{ r7 }`. */
const NAMED_RESULT = /\bresults\s*(?:\?\.|\.|\[\s*["'`]|\.text\(\s*["'`])\s*(r\d{1,15})(?![\w$])/g;
const RESULT_ID = /(?<![\w$])(r\d{1,15})(?![\w$])/g;
const MEGABYTE = 1024 * 1024;
const MAX_NAMED_RESULTS = 16;
/** The part of the memory of a script for results that it may not mean. */
const UNSURE_PART = 1 / 4;

/** Runs scripts. Loaded with the first of them. */
export class Scripts {
  readonly #pool = new ThreadPool(workerFile);
  readonly #budgets = new WeakMap<object, ScriptBudget>();

  async run(options: RunOptions): Promise<Outcome> {
    const { source, saved, settings, results, root } = options;
    const budget = this.#budgets.get(root) ?? new ScriptBudget();
    this.#budgets.set(root, budget);
    const maxUnsure = settings.memoryMb * MEGABYTE * UNSURE_PART;
    const named = results === undefined ? {} : await namedResults(source, results, maxUnsure);
    const run = new ScriptRun(this.#pool, { ...options, results: named, budget });
    options.onStarted?.(run);
    const report = await run.run(options.suspended);
    return scriptAnswer(report, { source, saved }, settings, outputFor(options));
  }

  /** The exports of a saved script, as JSON. Rejects with the reason if they cannot be read. */
  async describe({ source, saved, owner, settings }: DescribeOptions): Promise<string> {
    const limits = { ...settings, ...DESCRIBING };
    const { end, output } = await new ScriptRun(this.#pool, {
      source,
      saved,
      use: "describe",
      owner,
      input: "{}",
      results: {},
      settings: limits,
      startCall: () => {
        throw new Error("a script that is only read has made a call");
      },
      signal: new AbortController().signal,
    }).run();
    if (end.kind !== "value") throw loadFailure(end, source, limits);
    return output.value ?? "";
  }

  /** Ends all threads. */
  close(): void {
    this.#pool.close();
  }
}

/** How much of its output a script shows, and where the rest is stored. */
function outputFor({ settings, results, reader = "agent", textLimit }: RunOptions): ShownOutput {
  const { outputChars } = settings;
  if (reader === "script") {
    const limit = { chars: MAX_KEPT_CHARS, reason: "a script takes no more of another" };
    return { limit, isValueOnly: true };
  }
  const own = { chars: outputChars, reason: "setting scripts.outputChars" };
  if (reader === "program") return { limit: own };
  const limit = textLimit !== undefined && textLimit.chars < outputChars ? textLimit : own;
  return { limit, store: async (text) => results?.store(text) };
}

/** The results that the script names, because it cannot wait for one when it reads it. */
async function namedResults(
  source: string,
  results: StoredResults,
  maxUnsure: number,
): Promise<Record<string, string>> {
  const named: Record<string, string> = {};
  if (!source.includes("results")) return named;
  const sure = idsIn(source, NAMED_RESULT);
  const ids = new Set([...sure, ...idsIn(source, RESULT_ID)]);
  let left = maxUnsure;
  let count = 0;
  for (const id of ids) {
    if (count === MAX_NAMED_RESULTS) break;
    const text = await results.read(id);
    if (text === undefined) continue;
    // A variable may have the name of a large result.
    if (!sure.has(id) && (left -= text.length) < 0) continue;
    named[id] = text;
    count++;
  }
  return named;
}

function idsIn(source: string, pattern: RegExp): Set<string> {
  return new Set(Array.from(source.matchAll(pattern), ([, id]) => id ?? ""));
}
