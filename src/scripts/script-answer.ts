import { type Outcome, result } from "../calls/outcome.ts";
import type { ScriptSettings } from "../config/types.ts";
import type { GuestError } from "./engine/engine.ts";
import { positionIn, sourceLine } from "./script-position.ts";
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
  if (!isError && calls.openCount > 0)
    texts.push(
      `Note: ${calls.openCount} calls were cancelled because the script did not await them.`,
    );
  const blocks = texts.map((text) => JSON.stringify({ type: "text", text }));
  const meta = JSON.stringify({
    [SCRIPT_META_KEY]: { calls: calls.count, resultBytes, ms: Math.round(ms) },
  });
  return result(
    `{"content":[${[...blocks, ...output.emitted].join(",")}]${isError ? ',"isError":true' : ""},"_meta":${meta}}`,
  );
}

const MIN_QUEUED_MS = 1000;
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
  { name, message, stack }: GuestError,
  source: string,
  settings: ScriptSettings,
): string {
  const position = positionIn(stack);
  const at = position === undefined ? "" : ` at line ${position.line}:${position.column}`;
  const isMemory = message === "out of memory";
  const hint = isMemory ? ` (a script has ${settings.memoryMb} MB: setting scripts.memoryMb)` : "";
  const line = position === undefined ? "" : sourceLine(source, position);
  return `${name}: ${message}${hint}${at}${line === "" ? "" : `\n${line}`}`;
}
