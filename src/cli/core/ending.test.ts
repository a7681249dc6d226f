import { afterEach, describe, expect, it, vi } from "vitest";

import { Output } from "../output/output.ts";
import { Ending } from "./ending.ts";

afterEach(() => void vi.restoreAllMocks());

/** What a command does whose reader is gone before it prints its result. */
function runUnread({ finishesUnread }: { finishesUnread: boolean }): {
  readonly isAsked: boolean;
  readonly written: readonly string[];
} {
  // The last step of a command that was asked to stop.
  vi.spyOn(process, "exit").mockReturnValue(undefined as never);
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text) };
  const out = new Output({ json: false, colours: false, env: {}, stdout: stream, stderr: stream });
  const ending = new Ending(out);
  if (finishesUnread) ending.finishUnread();
  process.stdout.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  out.print("a result");
  out.say("a note");
  ending.release();
  return { isAsked: ending.signal.aborted, written };
}

describe("a command whose output is closed", () => {
  it("is asked to stop, and prints nothing", () => {
    expect(runUnread({ finishesUnread: false })).toEqual({ isAsked: true, written: [] });
  });

  it("continues if it changes files, and shows its notes", () => {
    expect(runUnread({ finishesUnread: true })).toEqual({ isAsked: false, written: ["a note\n"] });
  });
});
