import type { ScriptSettings } from "../config/types.ts";
import type { GuestError } from "./engine/engine.ts";
import { type HintedError, hintedError, isImportFailure } from "./script-hints.ts";
import {
  type Position,
  isBehindEnd,
  onlyPlace,
  positionIn,
  positionInText,
  sourceLine,
} from "./script-position.ts";
import type { RunEnd } from "./script-run.ts";
import type { ScriptText } from "./script-text.ts";

type Limits = Pick<ScriptSettings, "cpuMs" | "totalMs" | "memoryMb">;
const NO_LIMITS: Limits = { cpuMs: 0, totalMs: 0, memoryMb: 0 };

/** Why a script failed. */
export type FailedEnd = Exclude<RunEnd, { kind: "value" }>;

export interface FailedScript extends ScriptText {
  /** Whether the limits were those of several scripts together. */
  readonly isShared?: boolean;
}

/** Why a script failed, with the place and the line in its source. */
export function failureText(end: FailedEnd, script: FailedScript, limits: Limits): string {
  switch (end.kind) {
    case "error": {
      const { message, hint, position } = describedError(end.error, script.source);
      const memory = isMemoryError(end.error)
        ? ` (a script has ${limits.memoryMb} MB: setting scripts.memoryMb)`
        : "";
      const before = end.error.isNested === true ? "\nCalled at " : " at ";
      const place = position === undefined ? "" : before + placeText(position, script);
      const line = position === undefined ? "" : sourceLine(script.source, position);
      const more = [line, hint].filter(Boolean).map((text) => `\n${text}`);
      return `${message}${memory}${place}${more.join("")}`;
    }
    case "limit":
      return `The script was stopped: ${limitText(end, limits, script)} (setting scripts.${end.limit})${queueNote(end)}.`;
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

/** A script could not be evaluated in time, perhaps because the machine was busy. */
export class UnfinishedLoad extends Error {}

/** Why a saved script cannot be a tool. */
export function loadFailure(end: FailedEnd, source: string, limits: Limits): Error {
  const text = loadFailureText(end, source, limits);
  const isFinal =
    end.kind === "error" ||
    end.kind === "stalled" ||
    (end.kind === "limit" && end.limit === "memoryMb");
  return isFinal ? new Error(text) : new UnfinishedLoad(text);
}

/** The same in one line, for a script that does not run yet. Its limits are not settings. */
export function loadFailureText(end: FailedEnd, source: string, limits = NO_LIMITS): string {
  if (end.kind === "limit") return `its top level: ${limitText(end, limits)}`;
  if (end.kind !== "error") return failureText(end, { source }, limits);
  const { message, hint, position } = describedError(end.error, source);
  const note = hint === undefined ? "" : ` (${hint})`;
  if (position === undefined) return `${message}${note}`;
  const line = source.split("\n")[position.line - 1]?.trim() ?? "";
  return `${message} at line ${position.line}:${position.column}: ${line.slice(0, MAX_LINE_CHARS)}${note}`;
}

const MAX_LINE_CHARS = 100;

function placeText({ line, column }: Position, { saved }: ScriptText): string {
  return saved === undefined ? `line ${line}:${column}` : `${saved.file}:${line}:${column}`;
}

function limitText(
  { limit }: Extract<RunEnd, { kind: "limit" }>,
  { cpuMs, totalMs, memoryMb }: Limits,
  { isShared = false }: Partial<FailedScript> = {},
): string {
  switch (limit) {
    case "cpuMs":
      return isShared
        ? `the scripts of this call computed for more than ${cpuMs} ms in all`
        : `it computed for more than ${cpuMs} ms`;
    case "totalMs":
      return `it took more than ${totalMs} ms`;
    case "memoryMb":
      return `it needed more than ${memoryMb} MB of memory`;
  }
}

const MIN_QUEUED_MS = 1000;

/** Other scripts explain a lack of time only if they cost a noticeable part of it. */
function queueNote(end: Extract<RunEnd, { kind: "limit" }>): string {
  if (end.limit !== "totalMs" || end.queuedMs < MIN_QUEUED_MS) return "";
  return `, of which ${Math.round(end.queuedMs)} ms it waited for other scripts`;
}

function isMemoryError({ message }: GuestError): boolean {
  return message === "out of memory";
}

interface DescribedError extends HintedError {
  readonly position: Position | undefined;
}

function describedError(error: GuestError, source: string): DescribedError {
  const { name, stack, isNested = false } = error;
  const inStack = positionIn(stack);
  const found = inStack && positionInText(source, inStack);
  const isEnd = name === "SyntaxError" && inStack !== undefined && isBehindEnd(source, inStack);
  const position = found ?? unplacedPosition(error, source);
  const { message, hint } = isEnd ? END : hintedError(error, source, position);
  return { message: isNested ? message : `${name}: ${message}`, hint, position };
}

/** The engine would name a character behind the script, which its author does not know. */
const END: HintedError = {
  message: "unexpected end: something is not closed, or there is a bracket too many",
};

/** Where an error happened that has no place of its own, if only one place is possible. */
function unplacedPosition(error: GuestError, source: string): Position | undefined {
  if (error.isValue === true) return onlyPlace(source, "throw");
  if (error.isReturned === true) return onlyPlace(source, "return");
  return isImportFailure(error) ? onlyPlace(source, "import") : undefined;
}
