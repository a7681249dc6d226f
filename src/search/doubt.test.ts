import { describe, expect, it } from "vitest";

import { doubtAbout } from "./doubt.ts";
import type { Hit } from "./types.ts";

const hit = (fit: number): Hit => ({
  toolbox: "a",
  server: "s",
  tool: { name: "t" },
  score: 1,
  fit,
});

const LONG =
  "find the newest report of last quarter, translate it, write a summary and send it to all members of the team";

describe("doubtAbout", () => {
  it("is empty if one tool fits", () => {
    expect(doubtAbout("read a file", [hit(0.1), hit(0.9)], 5)).toBe("");
  });

  it("suggests one step at a time for a long query", () => {
    expect(doubtAbout(LONG, [hit(0.1)], 5)).toMatch(/one step at a time$/);
  });

  it("suggests a higher limit for a short query, and other words if that shows no more", () => {
    const five = Array.from({ length: 5 }, () => hit(0.1));
    expect(doubtAbout("grok it", five, 5)).toMatch(/limit 10 shows more$/);
    expect(doubtAbout("grok it", [hit(0.1)], 5)).toMatch(/other words$/);
    expect(doubtAbout("grok it", [...five, ...five], 10)).toMatch(/other words$/);
  });

  it("is there if the query has nothing but filler words", () => {
    expect(doubtAbout("what is it", [hit(0.6)], 5)).toMatch(/other words$/);
    expect(doubtAbout("do", [hit(1)], 5)).toBe("");
  });
});
