import { describe, expect, it } from "vitest";
import type { Era } from "../../protocol/client-profile.ts";
import { NegotiatedEras } from "./negotiated-eras.ts";
import { AmbiguousHandshake } from "./handshake.ts";

const recalled = (client: Era, server: Era): NegotiatedEras => {
  const verdicts = new NegotiatedEras();
  verdicts.restore(new Map([[client, server]]));
  return verdicts;
};

describe("the negotiated era of a server", () => {
  it("is taken from an earlier run, unless this run has found out better", () => {
    const verdicts = new NegotiatedEras();
    verdicts.set("legacy", "modern");
    verdicts.restore(
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

  it("falls back to legacy once if the server exits on a modern handshake", () => {
    const verdicts = new NegotiatedEras();
    expect(verdicts.shouldRetryWith("modern", new Error("ended"), true)).toBe(true);
    expect(verdicts.get("modern")).toBe("legacy");
    expect(verdicts.shouldRetryWith("modern", new Error("ended"), true)).toBe(false);
  });

  it("causes no second start if the server exits on a legacy handshake", () => {
    expect(new NegotiatedEras().shouldRetryWith("legacy", new Error("ended"), true)).toBe(false);
  });

  it("is discarded on failure if it is from an earlier run, and kept if it was found in this one", () => {
    const verdicts = recalled("legacy", "modern");
    expect(verdicts.shouldRetryWith("legacy", new Error("ended"), true)).toBe(true);
    expect(verdicts.get("legacy")).toBeUndefined();
    verdicts.set("legacy", "legacy");
    expect(verdicts.shouldRetryWith("legacy", new Error("ended"), true)).toBe(false);
    expect(verdicts.get("legacy")).toBe("legacy");
  });

  it("falls back to legacy if a modern client was misled by an earlier run", () => {
    const verdicts = recalled("modern", "modern");
    expect(verdicts.shouldRetryWith("modern", new Error("ended"), true)).toBe(true);
    expect(verdicts.get("modern")).toBe("legacy");
  });

  it("is confirmed by a successful connection", () => {
    const verdicts = recalled("modern", "modern");
    verdicts.set("modern", "modern");
    expect(verdicts.shouldRetryWith("modern", new Error("ended"), true)).toBe(false);
    expect(verdicts.get("modern")).toBe("modern");
  });

  it("is modern for a slow server that answered both handshakes", () => {
    const eras = new NegotiatedEras();
    expect(eras.shouldRetryWith("modern", new AmbiguousHandshake(), false)).toBe(true);
    expect(eras.get("modern")).toBe("modern");
  });

  it("causes no second start if the server refused without exiting", () => {
    expect(new NegotiatedEras().shouldRetryWith("modern", new Error("refused"), false)).toBe(false);
  });
});
