import { describe, expect, it } from "vitest";

import { readWordTable, writeWordTable } from "./word-table.ts";

const WORDS = ["mail", "größe", "表格"];
const VECTORS = Float32Array.from([1, -0.5, 0, 0, 0, 0, 0.01, 0.02, -0.03]);

describe("a table of word vectors", () => {
  it("has its words and values again after writing and reading", () => {
    const { dimensions, rows, scales, values } = readWordTable(writeWordTable(WORDS, VECTORS));
    expect(dimensions).toBe(3);
    expect([...rows]).toEqual(WORDS.map((word, row) => [word, row]));
    for (const [i, value] of VECTORS.entries()) {
      const read = (values[i] ?? 0) * (scales[Math.floor(i / 3)] ?? 0);
      expect(Math.abs(read - value)).toBeLessThan(0.005);
    }
  });

  it("is the same for the same vectors", () => {
    expect(writeWordTable(WORDS, VECTORS)).toEqual(writeWordTable(WORDS, VECTORS));
  });

  it("is refused if it is damaged", () => {
    const file = writeWordTable(WORDS, VECTORS);
    expect(() => readWordTable(file.subarray(0, file.length - 1))).toThrow("damaged");
    expect(() => readWordTable(new Uint8Array(3))).toThrow("not a table");
    expect(() => readWordTable(file.subarray(1))).toThrow("not a table");
  });
});
