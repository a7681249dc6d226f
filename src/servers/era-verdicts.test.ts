import { describe, expect, it } from "vitest";
import type { Era } from "../relay/client-profile.ts";
import { EraVerdicts } from "./era-verdicts.ts";
import { GreetedTwice } from "./handshake.ts";

const recalled = (client: Era, server: Era): EraVerdicts => {
  const verdicts = new EraVerdicts();
  verdicts.recall(new Map([[client, server]]));
  return verdicts;
};

describe("what is known of a server's era", () => {
  it("is taken over from an earlier run, unless this one knows better", () => {
    const verdicts = new EraVerdicts();
    verdicts.set("legacy", "modern");
    verdicts.recall(
      new Map<Era, Era>([
        ["legacy", "legacy"],
        ["modern", "legacy"],
      ]),
    );
    expect([...verdicts.all]).toEqual([
      ["legacy", "modern"],
      ["modern", "legacy"],
    ]);
  });

  it("lets a server that ends at a modern greeting be greeted in the older way, once", () => {
    const verdicts = new EraVerdicts();
    expect(verdicts.another("modern", new Error("ended"), true)).toBe(true);
    expect(verdicts.get("modern")).toBe("legacy");
    expect(verdicts.another("modern", new Error("ended"), true)).toBe(false);
  });

  it("does not start a server again that ends at a legacy greeting", () => {
    expect(new EraVerdicts().another("legacy", new Error("ended"), true)).toBe(false);
  });

  it("is doubted if it is an earlier run's, and not if it was found in this one", () => {
    const verdicts = recalled("legacy", "modern");
    expect(verdicts.another("legacy", new Error("ended"), true)).toBe(true);
    expect(verdicts.get("legacy")).toBeUndefined();
    verdicts.set("legacy", "legacy");
    expect(verdicts.another("legacy", new Error("ended"), true)).toBe(false);
    expect(verdicts.get("legacy")).toBe("legacy");
  });

  it("gives way to the older way if an earlier run misled a modern client", () => {
    const verdicts = recalled("modern", "modern");
    expect(verdicts.another("modern", new Error("ended"), true)).toBe(true);
    expect(verdicts.get("modern")).toBe("legacy");
  });

  it("is confirmed by a connection", () => {
    const verdicts = recalled("modern", "modern");
    verdicts.set("modern", "modern");
    expect(verdicts.another("modern", new Error("ended"), true)).toBe(false);
    expect(verdicts.get("modern")).toBe("modern");
  });

  it("calls a server modern that was slow and heard both greetings", () => {
    const eras = new EraVerdicts();
    expect(eras.another("modern", new GreetedTwice(), false)).toBe(true);
    expect(eras.get("modern")).toBe("modern");
  });

  it("does not start a server again that refused without ending", () => {
    expect(new EraVerdicts().another("modern", new Error("refused"), false)).toBe(false);
  });
});
