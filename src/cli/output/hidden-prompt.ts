import type { ReadStream } from "node:tty";

import { workbenchError } from "../../errors.ts";
import type { Output } from "./output.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const CTRL_U = "\u0015";
/** What terminals put around pasted text. */
const PASTE_MARKS = ["\u001b[200~", "\u001b[201~"];

/** Asks for a line in a terminal without showing what is typed. */
export async function askHidden(
  question: string,
  out: Output,
  signal: AbortSignal,
  input: ReadStream = process.stdin as ReadStream,
): Promise<string> {
  signal.throwIfAborted();
  out.draw(question);
  input.setRawMode(true);
  input.setEncoding("utf8");
  input.resume();
  try {
    return await typedLine(input, signal);
  } finally {
    input.setRawMode(false);
    input.pause();
    out.draw("\n");
  }
}

// --- internal ---

function typedLine(input: ReadStream, signal: AbortSignal): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    let line = "";
    const finish = (end: () => void): void => {
      input.off("data", onData);
      input.off("end", onEnd);
      signal.removeEventListener("abort", onAbort);
      end();
    };
    const onEnd = (): void => finish(() => reject(workbenchError("INTERRUPTED", {})));
    const onAbort = (): void => finish(() => reject(signal.reason as Error));
    const onData = (text: string): void => {
      const plain = PASTE_MARKS.reduce((rest, mark) => rest.replaceAll(mark, ""), text);
      for (const character of plain) {
        if (character === "\r" || character === "\n") return finish(() => resolve(line));
        if (character === CTRL_C || (character === CTRL_D && line === "")) return onEnd();
        if (character === "\u007f" || character === "\b")
          line = Array.from(line).slice(0, -1).join("");
        else if (character === CTRL_U) line = "";
        else if (character >= " ") line += character;
      }
    };
    input.on("data", onData);
    input.on("end", onEnd);
    signal.addEventListener("abort", onAbort);
  });
}
