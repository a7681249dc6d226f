import { join } from "node:path";

import { type StateFormat, readStateFile, updateStateFile } from "../../access/state-file.ts";
import { stateDir } from "../../config/directories.ts";
import { MAX_USES, type PastUse, mergedUses } from "../../search/past-uses.ts";
import { isObject, parseJson } from "../../text/json.ts";

/** A file of more than 1 MB would not be read; this leaves space for its indentation. */
const MAX_BYTES = 500_000;
const MAX_CHARS = 500;
const MAX_TERMS = 50;

export function usesFile(): string {
  return join(stateDir(), "search-uses.json");
}

export function readUses(file = usesFile()): readonly PastUse[] {
  return readStateFile(file, FORMAT);
}

/** Adds uses to the file. Several processes do that, one at a time. */
export async function addUses(added: readonly PastUse[], file = usesFile()): Promise<void> {
  await updateStateFile(file, FORMAT, (before) => ({
    next: latest(mergedUses([...before, ...added.flatMap(useOf)])),
    result: undefined,
  }));
}

/** The latest uses that fit into the file. */
function latest(uses: readonly PastUse[]): readonly PastUse[] {
  let bytes = 0;
  const oldest = uses.findLastIndex((use) => {
    bytes += Buffer.byteLength(JSON.stringify(use));
    return bytes > MAX_BYTES;
  });
  return uses.slice(oldest + 1);
}

/** Past uses are not worth an error: a damaged file is replaced. */
const FORMAT: StateFormat<readonly PastUse[]> = {
  empty: [],
  parse: (text) => {
    const value = parseJson(text);
    const uses = isObject(value) ? value["uses"] : undefined;
    return Array.isArray(uses) ? uses.slice(-MAX_USES).flatMap(useOf) : [];
  },
  textOf: (uses) => `${JSON.stringify({ uses }, undefined, 1)}\n`,
  unusable: (file, reason, cause) => new Error(`${file} cannot be used: ${reason}`, { cause }),
  busy: (file, reason) => new Error(`${file} is in use: ${reason}`),
};

/** A use that can say something about a query. */
function useOf(value: unknown): PastUse[] {
  if (!isObject(value) || !Array.isArray(value["terms"])) return [];
  const { tool, terms } = value;
  const isText = (text: unknown): text is string =>
    typeof text === "string" && text.length <= MAX_CHARS;
  const texts = (terms as unknown[]).slice(0, MAX_TERMS).filter(isText);
  return isText(tool) && texts.length > 0 ? [{ tool, terms: texts }] : [];
}
