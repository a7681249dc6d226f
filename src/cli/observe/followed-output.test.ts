import { describe, expect, it } from "vitest";
import { FollowedOutput, type ServerOutput } from "./followed-output.ts";

const of = (process: number | null, ...stderr: string[]): ServerOutput => ({
  pid: 1,
  toolbox: "dev",
  server: "fx",
  process,
  stderr,
});

/** What is shown after each of these states. */
function shown(...states: (readonly ServerOutput[])[]): string[][] {
  const followed = new FollowedOutput();
  return states.map((state) => followed.added(state).flatMap(({ lines }) => lines));
}

describe("the output of servers that is followed", () => {
  it("is shown once, also after the process has ended", () => {
    expect(
      shown([of(7, "a")], [of(7, "a", "b")], [of(null, "a", "b", "c")], [of(null, "a", "b", "c")]),
    ).toEqual([["a"], ["b"], ["c"], []]);
  });

  it("of a new process is shown even if it is that of the one before", () => {
    expect(shown([of(7, "ready")], [of(null, "ready")], [of(8, "ready")])).toEqual([
      ["ready"],
      [],
      ["ready"],
    ]);
  });

  it("of several processes is that of each", () => {
    expect(shown([of(7, "a"), of(8, "a")], [of(7, "a"), of(8, "a", "b")])).toEqual([
      ["a", "a"],
      ["b"],
    ]);
  });
});
