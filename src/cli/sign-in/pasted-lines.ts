import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

import { isOAuthFailure } from "../../oauth/failure.ts";

/** After so many addresses that are not accepted, something else is wrong. */
const MAX_TRIES = 5;
const MAX_LINE_CHARS = 16 * 1024;
const ADDRESS = /^\s*https?:\/\//;

export interface PasteOptions {
  readonly onWrong: (reason: string) => void;
  /** Throws if there is no other way to return. */
  readonly onEnd?: (() => void) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Gives each pasted line to `finish` until one is accepted. What cannot be an answer to this login is
 * explained with `onWrong`, and the user can paste another line; what the authorization server decided
 * is final. If the input ends, `onEnd` is called; then it waits forever, because the browser may still return.
 */
export async function takePastedLine(
  input: Readable,
  finish: (returned: string) => Promise<void>,
  { onWrong, onEnd, signal }: PasteOptions,
): Promise<void> {
  const lines = createInterface({ input, terminal: false, signal });
  let tries = 0;
  let begun = "";
  try {
    for await (const line of lines) {
      if (line.trim() === "") continue;
      // Some terminals copy a long address with line breaks.
      const isNext = begun !== "" && !ADDRESS.test(line) && begun.length < MAX_LINE_CHARS;
      const text = isNext ? begun + line.trim() : line;
      begun = isNext || ADDRESS.test(line) ? text.trim() : "";
      try {
        return await finish(text.slice(0, MAX_LINE_CHARS));
      } catch (error) {
        if (!isNext) tries += 1;
        if (!isMistake(error) || tries >= MAX_TRIES) throw error;
        onWrong(error.message);
      }
    }
  } finally {
    lines.close();
    input.pause();
  }
  if (!signal.aborted) onEnd?.();
  await new Promise<never>(() => {});
}

/** Whether a line was not the answer to this login, so that nothing was decided. */
function isMistake(error: unknown): error is Error {
  if (!isOAuthFailure(error) || error.error !== undefined) return false;
  return error.kind === "denied" || error.kind === "metadata";
}
