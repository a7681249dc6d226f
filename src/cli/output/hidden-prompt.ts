import type { Readable } from "node:stream";

import { workbenchError } from "../../errors.ts";
import type { Output } from "./output.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const CTRL_U = "\u0015";
const BACKSPACE = new Set(["\u007f", "\b"]);
/** Terminals put marks around pasted text if they are asked to; it may have several lines. */
const PASTE = {
  on: "\u001b[?2004h",
  off: "\u001b[?2004l",
  start: "\u001b[200~",
  end: "\u001b[201~",
};

const MARKS = [PASTE.start, PASTE.end];

/** A terminal as input, such as standard input. */
export interface TerminalInput extends Readable {
  setRawMode(isRaw: boolean): unknown;
}

/** Asks for a text in a terminal without showing what is typed. A pasted text may have several lines. */
export async function askHidden(
  question: string,
  out: Pick<Output, "draw">,
  signal: AbortSignal,
  input: TerminalInput = process.stdin,
): Promise<string> {
  signal.throwIfAborted();
  input.setRawMode(true);
  input.setEncoding("utf8");
  out.draw(question + PASTE.on);
  try {
    return await typedText(input, signal);
  } finally {
    input.setRawMode(false);
    input.pause();
    out.draw(`${PASTE.off}\n`);
  }
}

function typedText(input: Readable, signal: AbortSignal): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const typed = new TypedText();
    const finish = (end: () => void): void => {
      input.off("data", onData);
      input.off("end", onEnd);
      signal.removeEventListener("abort", onAbort);
      end();
    };
    const onEnd = (): void => finish(() => reject(workbenchError("INTERRUPTED", {})));
    const onAbort = (): void => finish(() => reject(signal.reason as Error));
    const onData = (text: string): void => {
      const state = typed.add(text);
      if (state === "done") finish(() => resolve(typed.text));
      else if (state === "interrupted") onEnd();
    };
    input.on("data", onData);
    input.on("end", onEnd);
    signal.addEventListener("abort", onAbort);
    input.resume();
  });
}

/** The text so far, as the keys change it. */
class TypedText {
  text = "";
  #isPasting = false;
  /** The beginning of a mark whose rest has not arrived yet. */
  #rest = "";

  add(received: string): "open" | "done" | "interrupted" {
    let input = this.#rest + received;
    this.#rest = "";
    while (input !== "") {
      const mark = MARKS.find((one) => input.startsWith(one));
      if (mark !== undefined) {
        this.#isPasting = mark === PASTE.start;
        input = input.slice(mark.length);
        continue;
      }
      if (MARKS.some((one) => one.startsWith(input))) {
        this.#rest = input;
        return "open";
      }
      const [key = ""] = input;
      input = input.slice(key.length);
      const isBreak = key === "\r" || key === "\n";
      // Without marks, a line break that more text follows at once is part of a pasted text.
      if (isBreak && (this.#isPasting || input !== "")) {
        if (!(key === "\r" && input.startsWith("\n"))) this.text += "\n";
      } else if (isBreak) return "done";
      else if (this.#isPasting) this.text += key;
      else if (key === CTRL_C || (key === CTRL_D && this.text === "")) return "interrupted";
      else if (BACKSPACE.has(key)) this.text = Array.from(this.text).slice(0, -1).join("");
      else if (key === CTRL_U) this.text = "";
      else if (key >= " ") this.text += key;
    }
    return "open";
  }
}
