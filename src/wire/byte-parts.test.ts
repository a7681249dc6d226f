import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ByteParts, headOf, withoutStart } from "./byte-parts.ts";

const chunks = fc.array(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)));

describe("ByteParts", () => {
  it("returns the bytes that were added, and counts them", () => {
    fc.assert(
      fc.property(chunks, fc.nat(200), (given, repeat) => {
        const parts = new ByteParts();
        const all = [...given, ...Array.from({ length: repeat }, (_, i) => Buffer.of(i))];
        for (const chunk of all) parts.add(chunk);
        const whole = Buffer.concat(all);
        expect(parts.bytes).toBe(whole.length);
        expect(Buffer.concat(parts.take())).toEqual(whole);
        expect(parts.bytes).toBe(0);
        expect(parts.take()).toEqual([]);
      }),
    );
  });

  it("merges many tiny chunks into few parts, and does not copy large ones", () => {
    const parts = new ByteParts();
    const large = Buffer.alloc(5000, 1);
    for (let i = 0; i < 100_000; i++) parts.add(Buffer.of(i & 255));
    parts.add(large);
    const taken = parts.take();
    expect(taken.length).toBeLessThan(100);
    expect(taken.at(-1)).toBe(large);
  });
});

describe("headOf and withoutStart", () => {
  it("split the bytes at any offset", () => {
    fc.assert(
      fc.property(chunks, fc.nat(100), (parts, at) => {
        const whole = Buffer.concat(parts);
        expect(Buffer.from(headOf(parts, at))).toEqual(whole.subarray(0, at));
        const rest = withoutStart(parts, at);
        expect(Buffer.concat(rest)).toEqual(whole.subarray(at));
        expect(rest.every((part) => part.length > 0)).toBe(true);
      }),
    );
  });
});
