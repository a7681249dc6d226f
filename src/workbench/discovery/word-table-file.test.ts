import { statSync } from "node:fs";
import * as files from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";

import { ToolIndex } from "../../search/tool-index.ts";
import { STOP_WORDS } from "../../search/stop-words.ts";
import type { IndexSource } from "./search-index.ts";
import { wordTable } from "./word-table-file.ts";

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  return { ...real, readFile: vi.fn(real.readFile) };
});

describe("the table of word vectors in the package", () => {
  it("is read by the first search, not before it, and only once", async () => {
    // The table is read once per process, that is, per loaded module.
    vi.resetModules();
    vi.mocked(files.readFile).mockClear();
    const { SearchIndex } = await import("./search-index.ts");
    const source = {
      toolboxes: new Map(),
      catalogues: { loadAll: () => Promise.resolve(), known: () => undefined, version: 0 },
    } as unknown as IndexSource;
    const reads = (): number => vi.mocked(files.readFile).mock.calls.length;
    const index = new SearchIndex(source);
    expect(index.tools.search("read a file")).toEqual([]);
    expect(reads()).toBe(0);
    await index.update();
    const first = reads();
    expect(first).toBeGreaterThan(0);
    await index.update();
    await new SearchIndex(source).update();
    expect(reads()).toBe(first);
  });

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
