import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalText, jsonTree, normalNumber } from "./canonical-json.ts";

const canonical = (text: string): string => canonicalText(jsonTree(text));

/** Writes a value with random key order, white space, escapes and number spellings. */
function respelled(value: unknown, pick: () => number): string {
  const space = (): string => ["", " ", "\n\t", ""][pick() % 4] ?? "";
  if (typeof value === "number") return respelledNumber(value, pick);
  if (typeof value === "string") return respelledString(value, pick);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value.map((item) => `${space()}${respelled(item, pick)}${space()}`).join(",")}]`;
  const members = Object.entries(value).map(
    ([key, inner]) => `${space()}${respelledString(key, pick)}${space()}:${respelled(inner, pick)}`,
  );
  const at = members.length === 0 ? 0 : pick() % members.length;
  return `{${[...members.slice(at), ...members.slice(0, at)].join(",")}}`;
}

function respelledString(text: string, pick: () => number): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  const escaped = units.map((unit) => {
    const plain = unit >= 0x20 && unit < 0x7f && unit !== 0x22 && unit !== 0x5c && pick() % 3 > 0;
    return plain ? String.fromCharCode(unit) : `\\u${unit.toString(16).padStart(4, "0")}`;
  });
  return `"${escaped.join("")}"`;
}

function respelledNumber(value: number, pick: () => number): string {
  const plain = JSON.stringify(value);
  if (/[.e]/.test(plain)) return plain.replace("e+", "E");
  return (
    [plain, `${plain}.0`, `${plain}e0`, `${plain}0E-1`, `${plain}.000e+00`][pick() % 5] ?? plain
  );
}

describe("canonicalText", () => {
  it("is the same for every spelling of a value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.infiniteStream(fc.nat()), (value, random) => {
        const pick = (): number => random.next().value as number;
        expect(canonical(respelled(value, pick))).toBe(canonical(JSON.stringify(value)));
      }),
      { numRuns: 200 },
    );
  });

  it("means the same value, so different values have different texts", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(canonical(text))).toEqual(JSON.parse(text));
      }),
      { numRuns: 200 },
    );
  });

  it("sorts keys and resolves escapes", () => {
    expect(canonical(String.raw`{ "b": [1, true], "\u0061": "\u0041\/" }`)).toBe(
      '{"a":"A/","b":[1,true]}',
    );
  });

  it("keeps keys that are written twice, in their order", () => {
    const [first, second] = ['{"a":1,"b":0,"a":2}', '{"a":2,"a":1,"b":0}'];
    expect(canonical(first)).toBe('{"a":1,"a":2,"b":0}');
    expect(canonical(second)).toBe('{"a":2,"a":1,"b":0}');
    expect(canonical('{"a":2,"b":0}')).not.toBe(canonical(first));
  });

  it("handles a string of a megabyte", () => {
    const text = JSON.stringify('a"\\'.repeat(350_000));
    expect(canonical(text)).toBe(text);
  });
});

describe("normalNumber", () => {
  it.each([
    ["1", "1.0", "1e0", "1E+0", "10e-1", "0.1e1", "1.000"],
    ["0", "-0", "0.0", "0e5", "-0.00e-3"],
    ["1200", "12e2", "1.2e3", "1200.0"],
    ["-0.5", "-5e-1", "-0.50"],
    ["9007199254740993", "9007199254740993.0", "90071992547409930e-1"],
  ])("gives %s and its other spellings one text", (...spellings) => {
    expect(new Set(spellings.map(normalNumber)).size).toBe(1);
  });

  it("distinguishes integers that are equal as doubles", () => {
    const texts = ["9007199254740992", "9007199254740993", "1e400", "1e401", "1e-400", "0"];
    expect(new Set(texts.map(normalNumber)).size).toBe(texts.length);
  });

  it("writes numbers as people do", () => {
    const spellings = ["1e2", "12.50", "5e-3", "-1.5E1", "1e30", "123e-30"];
    expect(spellings.map(normalNumber)).toEqual(["100", "12.5", "0.005", "-15", "1e30", "123e-30"]);
  });

  it("keeps exponents that no number can have", () => {
    expect(normalNumber(`1e${"9".repeat(100)}`)).toBe(`1e${"9".repeat(100)}`);
  });

  it("agrees with arithmetic on decimals", () => {
    const decimals = fc.record({
      whole: fc.integer({ min: -99_999, max: 99_999 }),
      zeros: fc.nat(6),
      shift: fc.integer({ min: -9, max: 9 }),
    });
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        const write = ({ whole, zeros, shift }: typeof a): string =>
          `${whole}${"0".repeat(zeros)}e${shift}`;
        const power = ({ zeros, shift }: typeof a): number => zeros + shift + 9;
        const exact = (x: typeof a): bigint => BigInt(x.whole) * 10n ** BigInt(power(x));
        expect(normalNumber(write(a)) === normalNumber(write(b))).toBe(exact(a) === exact(b));
      }),
      { numRuns: 300 },
    );
  });
});
