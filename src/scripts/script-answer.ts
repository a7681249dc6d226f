import { type Outcome, failedResult, result } from "../calls/outcome.ts";
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

/** Keeps a text for later scripts; undefined if that is not possible. */
export type StoreText = (text: string) => Promise<string | undefined>;

/** The result of `run_script`: the value, what was printed, and the media that were emitted. */
export async function scriptAnswer(
  report: ScriptReport,
  source: string,
  settings: ScriptSettings,
  store: StoreText,
): Promise<Outcome> {
  const { end, output, calls, ms, resultBytes } = report;
  const isError = end.kind !== "value";
  const main = isError
    ? [failureText(end, source, settings), calls.summary].join("\n")
    : (output.value ?? NOTHING);
  const shownMain = await shown(main, Math.max(main.length, output.valueChars), settings, store);
  const texts = [shownMain];
  if (output.log !== "") {
    const left = settings.outputChars - shownMain.length;
    const outputChars = Math.max(left, Math.ceil(settings.outputChars / 10));
    const log = await shown(output.log, output.log.length, { outputChars }, store);
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

const NOTHING = "The script returned nothing. Use `return` to see a value.";

/** A text within the limit; the rest is stored if possible. `chars` is its full length. */
async function shown(
  text: string,
  chars: number,
  { outputChars }: Pick<ScriptSettings, "outputChars">,
  store: StoreText,
): Promise<string> {
  if (chars <= outputChars) return text;
  const id = chars === text.length ? await store(text) : undefined;
  const where =
    id === undefined ? "" : ` All of it is stored: another script can read results.${id}.`;
  const kept = text.slice(0, outputChars).replace(/[\ud800-\udbff]$/, "");
  return `${kept}\n… [truncated: the first ${kept.length} of ${chars} characters (setting scripts.outputChars).${where} Return less, such as counts or the fields you need.]`;
}

function failureText(
  end: Exclude<RunEnd, { kind: "value" }>,
  source: string,
  settings: ScriptSettings,
): string {
  switch (end.kind) {
    case "error":
      return errorText(end.error, source, settings);
    case "limit":
      return `The script was stopped: ${limitText(end.limit, settings)}`;
    case "stalled":
      return "The script was stopped: it waits for a promise that nothing will settle.";
    case "broken":
      return `The script could not be run: ${end.reason}`;
    case "cancelled":
      return "The script was cancelled.";
  }
}

function limitText(limit: "cpuMs" | "memoryMb" | "totalMs", settings: ScriptSettings): string {
  const setting = `(setting scripts.${limit})`;
  switch (limit) {
    case "cpuMs":
      return `it computed for more than ${settings.cpuMs} ms ${setting}.`;
    case "totalMs":
      return `it took more than ${settings.totalMs} ms ${setting}.`;
    case "memoryMb":
      return `it needed more than ${settings.memoryMb} MB of memory ${setting}.`;
  }
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
