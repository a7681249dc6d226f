import { join } from "node:path";

import { type StateFormat, readStateFile, updateStateFile } from "../../access/state-file.ts";
import { stateDir } from "../../config/directories.ts";
import { MAX_USES, type PastUse, mergedUses } from "../../search/past-uses.ts";
import { isObject, parseJson } from "../../text/json.ts";

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
    next: mergedUses([...before, ...added]),
    result: undefined,
  }));
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

function useOf(value: unknown): PastUse[] {
  if (!isObject(value) || !Array.isArray(value["terms"])) return [];
  const { tool, terms } = value;
  const isText = (text: unknown): text is string =>
    typeof text === "string" && text.length <= MAX_CHARS;
  const texts = (terms as unknown[]).slice(0, MAX_TERMS).filter(isText);
  return isText(tool) ? [{ tool, terms: texts }] : [];
}
