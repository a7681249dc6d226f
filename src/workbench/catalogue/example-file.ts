import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { stateDir } from "../../config/directories.ts";
import { isObject, parseJson } from "../../text/json.ts";
import type { ExampleCall } from "../meta-tools/instructions.ts";
import { parseUseTool } from "../meta-tools/input.ts";
import type { ToolboxOutline } from "../../config/outline.ts";

/**
 * The example calls of each configuration, one per toolbox, in the order in which they were found.
 * The instructions must not change without a reason, because clients cache prompts by their
 * beginning. So an example is kept until the configuration changes or its tool is gone, also if the
 * cache is deleted. It is read before the first answer, so the file is small.
 */

const MAX_FILE_BYTES = 64 * 1024;
const MAX_EXAMPLE_CHARS = 400;

export interface ExampleEntry {
  /** What the configuration file was when the examples were found. */
  readonly stamp: string;
  readonly calls: readonly ExampleCall[];
}

export function exampleFile(): string {
  return join(stateDir(), "example-calls.json");
}

/** Changes with the content of a file. */
export function stampOf(file: string): string | undefined {
  try {
    const { mtimeMs, size } = statSync(file);
    return `${mtimeMs} ${size}`;
  } catch {
    return undefined;
  }
}

/** The entries by the path of the configuration; none if the file is missing or damaged. */
export function readExamples(file: string): Readonly<Record<string, unknown>> {
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > MAX_FILE_BYTES) return {};
    const entries = parseJson(readFileSync(file, "utf8"));
    return isObject(entries) ? entries : {};
  } catch {
    return {};
  }
}

/** The examples of a configuration, as long as it has not changed. */
export function examplesFor(
  configFile: string | undefined,
  file = exampleFile(),
): readonly ExampleCall[] {
  if (configFile === undefined) return [];
  const entries = readExamples(file);
  const entry = Object.hasOwn(entries, configFile) ? entries[configFile] : undefined;
  if (!isObject(entry) || entry["stamp"] !== stampOf(configFile)) return [];
  return Array.isArray(entry["calls"]) ? entry["calls"].filter(isExample) : [];
}

function isExample(value: unknown): value is ExampleCall {
  return (
    parseUseTool(value) !== undefined &&
    isObject((value as ExampleCall).arguments) &&
    JSON.stringify(value).length <= MAX_EXAMPLE_CHARS
  );
}

/** The first example whose server these toolboxes have. */
export function exampleIn(
  toolboxes: readonly Pick<ToolboxOutline, "name" | "servers">[],
  examples: readonly ExampleCall[],
): ExampleCall | undefined {
  return examples.find(({ tool }) =>
    toolboxes.some(
      ({ name, servers }) => name === tool.toolbox && servers.get(tool.server)?.disabled === false,
    ),
  );
}
