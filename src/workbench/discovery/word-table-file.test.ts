import { statSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { ToolIndex } from "../../search/tool-index.ts";
import { STOP_WORDS } from "../../search/stop-words.ts";
import { wordTable } from "./word-table-file.ts";

describe("the table of word vectors in the package", () => {
  it("is complete: distinct words that count, each with a vector", async () => {
    const { rows, dimensions, values, scales } = await wordTable();
    expect(scales).toHaveLength(rows.size);
    expect(values).toHaveLength(rows.size * dimensions);
    for (const word of ["file", "folder", "directori", "email"]) expect(rows.has(word)).toBe(true);
    expect([...rows.keys()].filter((word) => word === "" || STOP_WORDS.has(word))).toEqual([]);
    // The largest value of each vector takes the whole range of a byte.
    const isWhole = (row: number): boolean =>
      (scales[row] ?? 0) > 0 &&
      values
        .subarray(row * dimensions, (row + 1) * dimensions)
        .some((value) => Math.abs(value) === 127);
    expect([...rows.values()].filter((row) => !isWhole(row))).toEqual([]);
  });

  it("finds a tool by another word for what it does", async () => {
    const index = new ToolIndex(await wordTable());
    index.replaceServer("dev", "files", [
      { name: "list_directory", description: "List the entries of a directory" },
      { name: "send_message", description: "Send a message to a channel" },
    ]);
    expect(index.search("everything contained in a folder")[0]?.tool.name).toBe("list_directory");
  });

  it("is at most 1.5 MB large", () => {
    const file = new URL("../../../data/word-vectors.bin", import.meta.url);
    expect(statSync(file).size).toBeLessThanOrEqual(1_500_000);
  });
});
