import { type Outcome, failedResult, result } from "../calls/outcome.ts";
import type { TextLimit } from "../calls/stored-results.ts";
import type { ScriptSettings } from "../config/types.ts";
import type { GuestError } from "./engine/engine.ts";
import {
  isBehindEnd,
  onlyThrow,
  positionIn,
  positionInText,
  sourceLine,
} from "./script-position.ts";
import type { RunEnd, ScriptReport } from "./script-run.ts";

/** The key in `_meta` of a result under which the workbench says what a script has done. */
export const SCRIPT_META_KEY = "mcp-workbench/script";

/** How much of its output a script shows. */
export interface ShownOutput {
  readonly limit: TextLimit;
  /**
   * Keeps a text for later scripts; undefined if that is not possible. Missing for clients that could not
   * run one.
   */
  readonly store?: (text: string) => Promise<string | undefined>;
}

/** The result of `run_script`: the value, what was printed, and the media that were emitted. */
export async function scriptAnswer(
  report: ScriptReport,
  source: string,
  settings: ScriptSettings,
  shownOutput: ShownOutput,
): Promise<Outcome> {
  const { end, output, calls, ms, resultBytes } = report;
  const isError = end.kind !== "value";
  const main = isError
    ? [failureText(end, source, settings), calls.summary].join("\n")
    : (output.value ?? NOTHING);
  const shownMain = await shown(main, Math.max(main.length, output.valueChars), shownOutput);
  const texts = [shownMain];
  if (output.log !== "") {
    const { limit } = shownOutput;
    const chars = Math.max(limit.chars - shownMain.length, Math.ceil(limit.chars / 10));
    const rest = { ...shownOutput, limit: { ...limit, chars } };
    const log = await shown(output.log, output.logChars, rest);
    texts.push(`console:\n${log}`);
  }
  if (!isError && calls.notAwaited !== undefined)
    texts.push(`Note: the script ended without awaiting ${calls.notAwaited}.`);
  const blocks = texts.map((text) => JSON.stringify({ type: "text", text }));
  const meta = JSON.stringify({
    [SCRIPT_META_KEY]: { calls: calls.count, resultBytes, ms: Math.round(ms) },
  });
  const text = `{"content":[${[...blocks, ...output.emitted].join(",")}]${isError ? ',"isError":true' : ""},"_meta":${meta}}`;
  return isError ? failedResult(text, isOutOfTime(end) ? "timeout" : "tool_error") : result(text);
}

function isOutOfTime(end: RunEnd): boolean {
  return end.kind === "limit" && end.limit !== "memoryMb";
}

const MIN_QUEUED_MS = 1000;
const NOTHING = "The script returned nothing. Use `return` to see a value.";

/** A text within the limit; it is stored if possible. `chars` is its full length, `text` what is kept. */
async function shown(text: string, chars: number, { limit, store }: ShownOutput): Promise<string> {
  if (chars <= limit.chars) return text;
  const id = await store?.(text);
  const part = text.length < chars ? `Its first ${text.length} characters are` : "All of it is";
  const where = id === undefined ? "" : ` ${part} stored: another script can read results.${id}.`;
  const kept = text.slice(0, limit.chars).replace(/[\ud800-\udbff]$/, "");
  const advice = store === undefined ? NOT_KEPT : RETURN_LESS;
  return `${kept}\n… [truncated: the first ${kept.length} of ${chars} characters (${limit.reason}).${where} ${advice}]`;
}

const RETURN_LESS = "Return less, such as counts or the fields you need.";
/** For callers of a saved script, who may not be able to change it. */
const NOT_KEPT =
  "The rest is not kept. The author can let the script return less, the user can raise the setting.";

function failureText(
  end: Exclude<RunEnd, { kind: "value" }>,
  source: string,
  settings: ScriptSettings,
): string {
  switch (end.kind) {
    case "error":
      return errorText(end.error, source, settings);
    case "limit":
      return `The script was stopped: ${limitText(end, settings)}`;
    case "stalled":
      return "The script was stopped: it waits for a promise that nothing will settle.";
    case "broken":
      return `The script could not be run: ${end.reason}`;
    case "evicted":
      return "The script was stopped while it waited, because other scripts need the memory. Keep less in variables, or run fewer scripts at a time.";
    case "cancelled":
      return "The script was cancelled.";
  }
}

function limitText(end: Extract<RunEnd, { kind: "limit" }>, settings: ScriptSettings): string {
  const setting = `(setting scripts.${end.limit})`;
  switch (end.limit) {
    case "cpuMs":
      return `it computed for more than ${settings.cpuMs} ms ${setting}.`;
    case "totalMs":
      return `it took more than ${settings.totalMs} ms ${setting}${queueNote(end.queuedMs)}.`;
    case "memoryMb":
      return `it needed more than ${settings.memoryMb} MB of memory ${setting}.`;
  }
}

/** Other scripts explain a lack of time only if they cost a noticeable part of it. */
function queueNote(queuedMs: number): string {
  const isNoticeable = queuedMs >= MIN_QUEUED_MS;
  return isNoticeable ? `, of which ${Math.round(queuedMs)} ms it waited for other scripts` : "";
}

function errorText(
  { name, message, stack, isValue = false }: GuestError,
  source: string,
  settings: ScriptSettings,
): string {
  const inStack = positionIn(stack);
  const found = inStack && positionInText(source, inStack);
  const position = found ?? (isValue ? onlyThrow(source) : undefined);
  const at = position === undefined ? "" : ` at line ${position.line}:${position.column}`;
  const isMemory = message === "out of memory";
  const hint = isMemory ? ` (a script has ${settings.memoryMb} MB: setting scripts.memoryMb)` : "";
  const line = position === undefined ? "" : sourceLine(source, position);
  const isEnd = name === "SyntaxError" && inStack !== undefined && isBehindEnd(source, inStack);
  const shownMessage = isEnd ? END_MESSAGE : message;
  return `${name}: ${shownMessage}${hint}${at}${line === "" ? "" : `\n${line}`}`;
}

/** The engine would name a character behind the script, which its author does not know. */
const END_MESSAGE = "unexpected end: something is not closed, or there is a bracket too many";
