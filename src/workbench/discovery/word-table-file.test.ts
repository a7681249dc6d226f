import { statSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { wordTable } from "./word-table-file.ts";

describe("the table of word vectors in the package", () => {
  it("is found and complete", async () => {
    const { rows, dimensions, values } = await wordTable();
    expect(values).toHaveLength(rows.size * dimensions);
    for (const word of ["file", "folder", "directori", "email"]) expect(rows.has(word)).toBe(true);
  });

  it("is at most 1.5 MB large", () => {
    const file = new URL("../../../data/word-vectors.bin", import.meta.url);
    expect(statSync(file).size).toBeLessThanOrEqual(1_500_000);
  });
});
