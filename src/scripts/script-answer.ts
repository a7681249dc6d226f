import { type Outcome, failedResult, result } from "../calls/outcome.ts";
import type { TextLimit } from "../calls/stored-results.ts";
import type { ScriptSettings } from "../config/types.ts";
import { failureText } from "./script-failure.ts";
import type { RunEnd, ScriptReport } from "./script-run.ts";
import { SCRIPT_META_KEY, type ScriptText } from "./script-text.ts";

/** How much of its output a script shows. */
export interface ShownOutput {
  readonly limit: TextLimit;
  /**
   * Keeps a text for later scripts; undefined if that is not possible. Missing for clients that could not
   * run one.
   */
  readonly store?: (text: string) => Promise<string | undefined>;
  /** The reader is a script: a value, without anything that is printed for people. */
  readonly isValueOnly?: boolean;
}

/** The result of `run_script`: the value, what was printed, and the media that were emitted. */
export async function scriptAnswer(
  report: ScriptReport,
  script: ScriptText,
  settings: ScriptSettings,
  shownOutput: ShownOutput,
): Promise<Outcome> {
  const { end, output, calls, ms, resultBytes, isShared } = report;
  const isError = end.kind !== "value";
  const isValueOnly = shownOutput.isValueOnly === true && !isError;
  const main = isError
    ? [failureText(end, { ...script, isShared }, settings), calls.summary].join("\n")
    : (output.value ?? nothingText(script, isValueOnly));
  const shownMain = await shown(main, Math.max(main.length, output.valueChars), shownOutput);
  const texts = [shownMain];
  if (output.log !== "" && !isValueOnly) {
    const { limit } = shownOutput;
    const chars = Math.max(limit.chars - shownMain.length, Math.ceil(limit.chars / 10));
    const rest = { ...shownOutput, limit: { ...limit, chars } };
    const log = await shown(output.log, output.logChars, rest);
    texts.push(`console:\n${log}`);
  }
  if (!isError && !isValueOnly && calls.notAwaited !== undefined)
    texts.push(`Note: the script ended without awaiting ${calls.notAwaited}.`);
  const blocks = texts.map((text) => JSON.stringify({ type: "text", text }));
  const meta = JSON.stringify({
    [SCRIPT_META_KEY]: { calls: calls.count, resultBytes, ms: Math.round(ms) },
  });
  const text = `{"content":[${[...blocks, ...output.emitted].join(",")}]${isError ? ',"isError":true' : ""},"_meta":${meta}}`;
  return isError ? failedResult(text, isOutOfTime(end) ? "timeout" : "tool_error") : result(text);
}

function nothingText({ saved }: ScriptText, isValueOnly: boolean): string {
  if (isValueOnly) return "null";
  return saved === undefined ? `${NOTHING} ${RETURN_HINT}` : NOTHING;
}

function isOutOfTime(end: RunEnd): boolean {
  return end.kind === "limit" && end.limit !== "memoryMb";
}

const NOTHING = "The script returned nothing.";
/** For the author of a script, not for the callers of a saved one. */
const RETURN_HINT = "Use `return` to see a value.";

/** A text within the limit; it is stored if possible. `chars` is its full length, `text` what is kept. */
async function shown(text: string, chars: number, { limit, store }: ShownOutput): Promise<string> {
  const isWhole = text.length === chars;
  if (isWhole && chars <= limit.chars) return text;
  const kept = text.slice(0, limit.chars).replace(/[\ud800-\udbff]$/, "");
  const id = text.length > limit.chars ? await store?.(text) : undefined;
  const part = isWhole ? "All of it is" : `Its first ${text.length} characters are`;
  const where = id === undefined ? "" : ` ${part} stored: another script can read results.${id}.`;
  const reason = text.length > limit.chars ? limit.reason : "the workbench keeps no more";
  const advice = store === undefined ? NOT_KEPT : RETURN_LESS;
  return `${kept}\n… [truncated: the first ${kept.length} of ${chars} characters (${reason}).${where} ${advice}]`;
}

const RETURN_LESS = "Return less, such as counts or the fields you need.";
/** For callers of a saved script, who may not be able to change it. */
const NOT_KEPT =
  "The rest is not kept. The author can let the script return less, the user can raise the setting.";
